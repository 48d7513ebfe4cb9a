import type { Command } from "commander";
import { resolveEndpoint } from "../../core/endpoint.js";
import { ConfigurationError } from "../../core/errors/index.js";
import type { InstallationScope } from "../../sync/ledger/entry.js";
import { type LedgerParts, requireLedger } from "../../sync/ledger/ledger.js";
import type { RunHistory } from "../../sync/run/history.js";
import { openClient, resolveConnection } from "../connection/connect.js";
import { addConnectionOptions, type ConnectionOptions } from "../connection/options.js";
import type { Io } from "../io.js";
import { UsageError } from "../usage-error.js";

export interface OpenedHistory extends RunHistory {
  readonly ledger: LedgerParts;
  readonly scope: InstallationScope;
}

type Held = NonNullable<RunHistory["held"]>;

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

/** Makes a command that decides about the run that is held. */
export function addDecision(
  command: Command,
  io: Io,
  decide: (history: OpenedHistory, held: Held, approvalId: string) => Promise<void>,
): void {
  command.argument("<id>", "id of the approval that the held run offers");
  addConnectionOptions(command).action(async (id: string, options: ConnectionOptions) => {
    const history = await openHistory(options, io);
    const { held } = history;
    if (held?.approval === undefined)
      throw new UsageError("Nothing is held: it was decided, or a later run was completed.");
    if (held.approval.id !== id)
      throw new UsageError("Another approval is pending: see saas-management held. Nothing was changed.");
    await decide(history, held, id);
  });
}
