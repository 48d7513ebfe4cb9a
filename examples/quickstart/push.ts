import {
  type Collection,
  type Connector,
  formatPreview,
  type Ledger,
  type RecordSource,
  type RecordTypes,
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
    private readonly ledger: Ledger,
  ) {}

  async push(source: Source): Promise<RunReceipt> {
    const { name, installationId } = source;
    const title = `  ${name.padEnd(14)}`;
    const { stdout } = process;
    const receipt = await this.sync.run(connectorOf(source), {
      installationId,
      ledger: this.ledger,
      onProgress: (event) => {
        if (event.type !== "window-accepted" || !stdout.isTTY) return;
        stdout.write(`\r\x1b[K${title} ${event.collection} ${count(event.accepted)}`);
      },
    });
    const accepted = Object.entries(receipt.collections).map(
      ([collection, figures]) => `${collection} ${count(figures.accepted)}`,
    );
    console.log(`${stdout.isTTY ? "\r\x1b[K" : ""}${title} ${accepted.join(", ")}`);
    return receipt;
  }

  /** Prints what `push` would do. Nothing is sent. */
  async preview(source: Source): Promise<void> {
    const { installationId } = source;
    const preview = await this.sync.preview(connectorOf(source), { installationId, ledger: this.ledger });
    console.log(formatPreview(preview).replace(/^/gm, "    "));
  }
}

function connectorOf(source: Source): Connector<SnapshotCollection> {
  return {
    snapshots: source.snapshots,
    async run(batch) {
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
    },
  };
}
