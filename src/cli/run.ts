import { resolve } from "node:path";
import { systemClock } from "../core/clock.js";
import { ConfigurationError } from "../core/errors/index.js";
import { isObject, isPlainObject } from "../core/validate.js";
import { type Connector, readConnector } from "../runs/connector.js";
import type { RunOptions } from "../runs/options.js";
import type { SnapshotCollection } from "../sync/collections.js";
import type { SyncProgress } from "../sync/progress.js";
import { importModule } from "./config.js";
import { type Connection, openClient, resolveConnection } from "./connect.js";
import { EXIT } from "./exit-codes.js";
import { asking, countsOf } from "./first-run.js";
import { forTerminal, type Io } from "./io.js";
import type { Options } from "./options.js";
import { firstRunSteps, lineOf } from "./problem.js";
import { ProgressLine } from "./progress.js";

/** Runs the connector of a module. */
export async function run([module = ""]: readonly string[], options: Options, io: Io): Promise<void> {
  const path = resolve(module);
  const { connector, default: exported = connector, options: own = {} } = await importModule(path);
  const found = connector ?? exported;
  if (!isConnector(found))
    throw new ConfigurationError(
      `${path} must export a connector: export const connector = defineConnector({ snapshots, run }).`,
    );
  if (!isPlainObject(own)) throw new ConfigurationError(`The exported options of ${path} must be an object.`);
  await execute(readConnector("run", found), own, options, await resolveConnection(options), io);
}

function isConnector(value: unknown): value is Connector {
  return isObject(value) && typeof Reflect.get(value, "run") === "function";
}

/**
 * Runs or previews a connector, and prints the receipt.
 * @param own Options that the connector's module exports.
 */
export async function execute<S extends SnapshotCollection>(
  connector: Connector<S>,
  own: RunOptions,
  options: Options,
  connection: Connection,
  io: Io,
): Promise<void> {
  await using client = openClient(connection, io);
  const { installationId = connection.installationId, ledger = connection.ledger } = own;
  io.hasOwnLedger = own.ledger !== undefined;
  io.installationId = installationId;
  const progress = new ProgressLine(io, systemClock);
  const { firstRunCounts, waitForLock = (own.waitForLockMs ?? 0) / 1000 } = options;
  const firstRun =
    firstRunCounts === undefined
      ? own.firstRun || options.firstRun === true
      : countsOf(firstRunCounts, connector.snapshots);
  const isAsked = firstRun === true && options.preview !== true && io.isTerminal && process.stdin.isTTY;
  const given = {
    ...own,
    installationId,
    ledger,
    signal: io.signal,
    firstRun,
    onProgress: (event: SyncProgress) => {
      progress.onProgress(event);
      own.onProgress?.(event);
    },
  };
  try {
    if (options.preview === true) {
      const preview = await client.sync.preview(connector, given);
      progress.end();
      const { held, refusals, collections } = preview;
      const isValid = Object.values(collections).every(({ issues }) => issues.length === 0);
      if (refusals.length > 0) process.exitCode = held !== undefined && isValid ? EXIT.held : EXIT.data;
      io.data(preview, () => forTerminal(String(preview), process.stdout));
      if (held !== undefined && isValid) for (const step of firstRunSteps(held)) io.note(lineOf(step));
      return;
    }
    const asked = isAsked ? asking(connector, io, progress) : { connector, counts: firstRun };
    const receipt = await client.sync.run(asked.connector, {
      ...given,
      firstRun: asked.counts,
      waitForLockMs: waitForLock * 1000,
    });
    progress.end();
    if (receipt.surprises.length > 0) process.exitCode = EXIT.surprised;
    io.data(receipt, () => forTerminal(String(receipt), process.stdout));
  } finally {
    progress.end();
  }
}
