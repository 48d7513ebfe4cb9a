/** What commands ask of the ledger itself. */
import { randomBytes } from "node:crypto";
import { resolveEndpoint } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import { isCollection, isSnapshot } from "../sync/collections.js";
import { CollectionLedger } from "../sync/ledger/collection-ledger.js";
import type { InstallationScope } from "../sync/ledger/entry.js";
import { idsOf } from "../sync/ledger/id-lines.js";
import { openBatches } from "../sync/ledger/journal-owners.js";
import { type LedgerParts, requireLedger } from "../sync/ledger/ledger.js";
import { logApproved } from "../sync/ledger/run-log.js";
import type { RunHistory } from "../sync/run/history.js";
import { type Connection, openClient, resolveConnection } from "./connect.js";
import type { Io } from "./io.js";
import type { Options } from "./options.js";

type Held = NonNullable<RunHistory["held"]>;

/** The ledger as one installation sees it. */
export class InstallationLedger {
  readonly #ledger: LedgerParts;
  readonly #scope: InstallationScope;

  /** @throws {ConfigurationError} there is no ledger, no endpoint or no installation */
  constructor({ ledger, syncUrl, installationId }: Connection) {
    const parts = requireLedger(ledger);
    if (parts === undefined)
      throw new ConfigurationError('The configuration sets ledger: "none", so nothing is known of runs.');
    if (installationId === undefined || syncUrl === undefined)
      throw new ConfigurationError("Set SAAS_MANAGEMENT_SYNC_URL and SAAS_MANAGEMENT_INSTALLATION_ID.");
    this.#ledger = parts;
    this.#scope = { endpoint: resolveEndpoint("syncUrl", syncUrl, "no-path").origin, installationId };
  }

  /** Notes that a person approved a held run, for the next run to use. */
  async approve(approvalId: string): Promise<void> {
    await logApproved(this.#ledger, this.#scope, approvalId, Date.now());
  }

  /** The ids that a held run is about. */
  async *idsOf({ reasons }: Held): AsyncGenerator<{ readonly collection: string; readonly id: string }> {
    for (const collection of new Set(reasons.map((reason) => reason.collection))) {
      if (!isCollection(collection) || !isSnapshot(collection)) continue;
      const pending = await new CollectionLedger(this.#ledger, { ...this.#scope, collection }).held();
      if (pending !== undefined) for await (const id of idsOf(pending.lines())) yield { collection, id };
    }
  }

  /** Writes a value and deletes it again. */
  async probe(): Promise<void> {
    const key = `doctor/${randomBytes(8).toString("hex")}`;
    await this.#ledger.store.putIfAbsent(
      key,
      (async function* () {
        yield Buffer.from("doctor");
      })(),
    );
    await this.#ledger.store.delete(key);
  }

  /** The run that has the lock, as far as this ledger knows: the service does not tell. */
  async openBatch() {
    return (await openBatches(this.#ledger, this.#scope))[0];
  }
}

/** Reads what the ledger knows of runs. It needs no key. */
export async function openHistory(
  options: Options,
  io: Io,
): Promise<RunHistory & { readonly ledger: InstallationLedger }> {
  const connection = await resolveConnection(options);
  const ledger = new InstallationLedger(connection);
  await using client = openClient(connection, io);
  return { ...(await client.sync.history({ signal: io.signal })), ledger };
}
