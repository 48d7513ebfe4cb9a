/** Opens the ledger for commands. */
import { resolveEndpoint } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import { type RunHistory, readInstallations } from "../runs/history.js";
import { CollectionLedger, LIST_KINDS } from "../runs/ledger/collection-ledger.js";
import { idsOf } from "../runs/ledger/id-lines.js";
import { openBatch } from "../runs/ledger/journal-entries.js";
import { fileLedger, openAll, openLedger } from "../runs/ledger/ledger.js";
import { noteApproved } from "../runs/ledger/notes.js";
import { noLines } from "../runs/ledger/value.js";
import { isCollection, isSnapshot } from "../sync/collections.js";
import { type Connection, openClient } from "./connect.js";
import type { Io } from "./io.js";

/** What a held run would do to the records in each of its lists of ids. */
const CHANGES = { removals: "removed", additions: "added", sent: "sent", changed: "changed" } as const;

/** The state of each installation in the ledger. @throws {ConfigurationError} there is no ledger, or it is damaged */
export async function installationsOf(connection: Connection) {
  return readInstallations(await openAll(givenLedger(connection)), Date.now());
}

function givenLedger({ ledger = fileLedger() }: Connection) {
  if (ledger !== "none") return ledger;
  throw new ConfigurationError('The configuration sets ledger: "none", so no runs are recorded.');
}

/** The ledger as one installation sees it. @throws {ConfigurationError} there is no ledger, endpoint or installation */
export function ledgerOf(connection: Connection) {
  const { syncUrl, installationId } = connection;
  const given = givenLedger(connection);
  if (installationId === undefined || syncUrl === undefined)
    throw new ConfigurationError("Set SAAS_MANAGEMENT_SYNC_URL and SAAS_MANAGEMENT_INSTALLATION_ID.");
  const { origin: endpoint } = resolveEndpoint("syncUrl", syncUrl, "no-path");
  const ledger = openLedger(given, { endpoint, installationId });
  return {
    location: ledger.location,
    /** Stores a person's approval of a held run for the next run. */
    approve: (approvalId: string) => noteApproved(ledger, approvalId),
    /** The run that has the lock, as far as this ledger knows; the service doesn't say which run that is. */
    openBatch: () => openBatch(ledger),
    /** The ids that a held run would remove, add, send or change. */
    async *idsOf({ approval, reasons }: RunHistory["held"][number]) {
      for (const collection of new Set(reasons.map((reason) => reason.collection))) {
        if (!isCollection(collection) || !isSnapshot(collection)) continue;
        const lists = await new CollectionLedger(ledger, collection).listed(approval.id);
        for (const kind of LIST_KINDS)
          for await (const id of idsOf(lists[kind]?.lines() ?? noLines()))
            yield { collection, id, change: CHANGES[kind] };
      }
    },
    probe: () => ledger.requireWritable(),
  };
}

/** Reads what the ledger knows about runs; this needs no key. */
export async function openHistory(connection: Connection, io: Io) {
  const ledger = ledgerOf(connection);
  await using client = openClient(connection, io);
  return { ...(await client.sync.history({ signal: io.signal })), ledger };
}
