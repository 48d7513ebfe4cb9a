/** Lets a person confirm a first run and the number of its records. */
import { createInterface } from "node:readline";
import type { Connector } from "../runs/connector.js";
import type { FirstRun } from "../runs/guard/rules.js";
import type { SnapshotCollection } from "../sync/collections.js";
import { counted } from "../sync/report-text.js";
import type { Io } from "./io.js";
import { UsageError } from "./options.js";
import type { ProgressLine } from "./progress.js";

type Counts = { -readonly [C in SnapshotCollection]?: number };

/** @param text The number of records of each snapshot, in the connector's order, such as `1240,12`. */
export function countsOf(text: string, snapshots: readonly SnapshotCollection[]): FirstRun {
  const numbers = text.split(",");
  if (numbers.length !== snapshots.length || !numbers.every((number) => /^\d{1,12}$/.test(number)))
    throw new UsageError(
      `--first-run takes no value, or a number of records for each of ${snapshots.join(",")}.`,
    );
  return Object.fromEntries(snapshots.map((name, i) => [name, Number(numbers[i])]));
}

/**
 * Asks on the terminal to confirm how many records a first run has read, before they are judged and sent.
 * @returns the connector that asks, and an object that it fills with the confirmed counts
 */
export function asking<S extends SnapshotCollection>(
  connector: Connector<S>,
  io: Io,
  progress: ProgressLine,
): { readonly connector: Connector<S>; readonly counts: Counts } {
  const counts: Counts = {};
  const run: Connector<S>["run"] = async (batch, context) => {
    await connector.run(batch, context);
    for (const name of connector.snapshots) counts[name] = batch.stats[name]?.sent ?? 0;
    const [first] = connector.snapshots;
    if (first === undefined) return;
    progress.end();
    const read = connector.snapshots.map((name) =>
      counted(counts[name] ?? 0, `record`).concat(` of ${name}`),
    );
    io.note(
      `This first run has ${read.join(", ")}. The service removes every other record of these collections.`,
    );
    await type(String(counts[first] ?? 0), io);
    progress.begin();
  };
  return { connector: { ...connector, run }, counts };
}

async function type(wanted: string, io: Io): Promise<void> {
  io.writeError(`Compare with the dashboard, and type ${wanted} to continue: `);
  const input = createInterface({ input: process.stdin, signal: io.signal });
  // Unlike question(), the iterator also ends if stdin has ended and nobody can answer.
  const typed = await input[Symbol.asyncIterator]().next();
  input.close();
  io.signal.throwIfAborted();
  if (typed.done === true || typed.value.trim() !== wanted)
    throw new UsageError(`Nothing was sent: you didn't type ${wanted}.`);
}
