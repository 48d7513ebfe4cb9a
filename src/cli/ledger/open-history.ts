import { resolveEndpoint } from "../../core/endpoint.js";
import { ConfigurationError } from "../../core/errors/index.js";
import type { InstallationScope } from "../../sync/ledger/entries.js";
import { type LedgerParts, requireLedger } from "../../sync/ledger/ledger.js";
import type { RunHistory } from "../../sync/run/history.js";
import { type ConnectionOptions, openClient, resolveConnection } from "../connection/connect.js";
import type { Io } from "../io.js";

export interface OpenedHistory extends RunHistory {
  readonly ledger: LedgerParts;
  readonly scope: InstallationScope;
}

/** Reads what the ledger knows. It needs no key. @throws {ConfigurationError} there is no ledger or no endpoint */
export async function openHistory(options: ConnectionOptions, io: Io): Promise<OpenedHistory> {
  const connection = await resolveConnection(options);
  const { installationId, syncUrl } = connection;
  await using client = openClient(connection, io);
  const history = await client.sync.history({ signal: io.signal });
  const ledger = requireLedger(connection.ledger);
  if (ledger === undefined || installationId === undefined || syncUrl === undefined)
    throw new ConfigurationError('The configuration sets ledger: "none", so nothing is known of runs.');
  const { origin } = resolveEndpoint("syncUrl", syncUrl, "no-path");
  return { ...history, ledger, scope: { endpoint: origin, installationId } };
}
