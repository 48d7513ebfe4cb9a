import {
  type Collection,
  formatPreview,
  type Ledger,
  previewSync,
  type RecordSource,
  type RecordTypes,
  type RunFunction,
  type RunReceipt,
  type SnapshotCollection,
  type SyncClient,
} from "@saas-management/sdk";
import { count } from "./print.js";

type Collections = { readonly [C in Collection]?: RecordSource<RecordTypes[C]> };

/** The records of one installation. */
export interface Source {
  readonly name: string;
  readonly installationId: string;
  /** The snapshot collections: records that a completed run does not send are marked as removed. */
  readonly snapshots: readonly SnapshotCollection[];
  /** Reads all records from the beginning; called again if the run restarts. */
  collections(): Collections;
}

/** Pushes each source as one run with a ledger, so that a list that is far too short is held. */
export class Pusher {
  constructor(
    private readonly sync: SyncClient,
    private readonly endpoint: string,
    private readonly ledger: Ledger,
  ) {}

  async push(source: Source): Promise<RunReceipt> {
    const { name, installationId, snapshots } = source;
    const title = `  ${name.padEnd(14)}`;
    const { stdout } = process;
    const receipt = await this.sync.run(
      {
        installationId,
        snapshots,
        ledger: this.ledger,
        onProgress: (event) => {
          if (event.type !== "window-accepted" || !stdout.isTTY) return;
          stdout.write(`\r\x1b[K${title} ${event.collection} ${count(event.accepted)}`);
        },
      },
      writerOf(source),
    );
    const accepted = Object.entries(receipt.collections).map(
      ([collection, figures]) => `${collection} ${count(figures.accepted)}`,
    );
    console.log(`${stdout.isTTY ? "\r\x1b[K" : ""}${title} ${accepted.join(", ")}`);
    return receipt;
  }

  /** Prints what `push` would do. Nothing is sent. */
  async preview(source: Source): Promise<void> {
    const { installationId, snapshots } = source;
    const options = { endpoint: this.endpoint, installationId, snapshots, ledger: this.ledger };
    const preview = await previewSync(options, writerOf(source));
    console.log(formatPreview(preview).replace(/^/gm, "    "));
  }
}

function writerOf(source: Source): RunFunction<SnapshotCollection> {
  return async (batch) => {
    const { employees, accounts, plans, licenses, groups, groupMembers, devices, usage } =
      source.collections();
    if (employees !== undefined) await batch.write("employees", employees);
    if (accounts !== undefined) await batch.write("accounts", accounts);
    if (plans !== undefined) await batch.write("plans", plans);
    if (licenses !== undefined) await batch.write("licenses", licenses);
    if (groups !== undefined) await batch.write("groups", groups);
    if (groupMembers !== undefined) await batch.write("groupMembers", groupMembers);
    if (devices !== undefined) await batch.write("devices", devices);
    if (usage !== undefined) await batch.write("usage", usage);
  };
}
