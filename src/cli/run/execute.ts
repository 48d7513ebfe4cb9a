import type { Command } from "commander";
import type { SaasManagementClient } from "../../client.js";
import { systemClock } from "../../core/clock.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { Connector } from "../../sync/run/connector.js";
import type { RunOptions } from "../../sync/run/options.js";
import { numberOf } from "../command-module.js";
import { type Connection, openClient } from "../connection/connect.js";
import { EXIT } from "../exit-codes.js";
import type { Io } from "../io.js";
import { ProgressLine } from "../output/progress.js";
import { firstRunSteps } from "../problem.js";

/** Options of `push` and `run`. */
export interface ExecuteOptions {
  readonly preview?: boolean;
  readonly firstRun?: boolean;
  readonly approve?: string;
  readonly waitForLock?: string;
}

export function addExecuteOptions(command: Command): Command {
  return command
    .option("--preview", "send nothing, and tell what a run would do")
    .option("--first-run", "this is the first run with this ledger")
    .option("--approve <id>", "approval of a held run (default: what `approve` has recorded)")
    .option("--wait-for-lock <seconds>", "wait for another run to end (default: 0)");
}

/**
 * Runs or previews a connector, and prints the receipt.
 * @param own Options of the connector's module.
 */
export async function execute<S extends SnapshotCollection>(
  connector: Connector<S>,
  own: RunOptions,
  given: ExecuteOptions,
  connection: Connection,
  io: Io,
): Promise<void> {
  await using client = openClient(connection, io);
  const { installationId = connection.installationId, ledger = connection.ledger } = own;
  const where = { installationId, ledger, signal: io.signal };
  const firstRun = given.firstRun === true || own.firstRun === true;
  const approve = given.approve ?? (await approvedId(client, where, io));
  if (given.preview === true) {
    const preview = await client.sync.preview(connector, { ...where, firstRun, approve, guard: own.guard });
    io.data(preview, () => String(preview));
    const { held, refusals, collections } = preview;
    const isValid = Object.values(collections).every(({ issues }) => issues.length === 0);
    if (held !== undefined && isValid) {
      for (const { command, when } of firstRunSteps(held)) io.note(`  ${command}  # ${when}`);
      process.exitCode = EXIT.held;
    } else if (refusals.length > 0) process.exitCode = EXIT.data;
    return;
  }
  const progress = new ProgressLine(io, systemClock);
  try {
    const receipt = await client.sync.run(connector, {
      waitForLockMs:
        1000 * numberOf("--wait-for-lock", given.waitForLock ?? "0", /^\d{1,6}$/, "a number of seconds"),
      approve,
      ...own,
      ...where,
      firstRun,
      onProgress: (event) => {
        progress.onProgress(event);
        own.onProgress?.(event);
      },
    });
    progress.end();
    io.data(receipt, () => String(receipt));
    if (receipt.surprises.length > 0) process.exitCode = EXIT.surprised;
  } finally {
    progress.end();
  }
}

/** The approval that a person has recorded with `approve`. */
async function approvedId(
  { sync }: SaasManagementClient,
  where: Pick<RunOptions, "installationId" | "ledger" | "signal">,
  io: Io,
): Promise<string | undefined> {
  try {
    const { held } = await sync.history(where);
    return held?.isApproved === true ? held.approval?.id : undefined;
  } catch (error) {
    io.signal.throwIfAborted();
    // The run finds out itself whether its ledger can be used.
    io.warn(`The history of runs cannot be read: ${error instanceof Error ? error.message : ""}`);
    return undefined;
  }
}
