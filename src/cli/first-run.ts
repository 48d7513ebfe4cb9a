/** How a person confirms a first run: that it is one, and how many records it has. */
import { createInterface } from "node:readline";
import type { Connector } from "../runs/connector.js";
import type { FirstRun } from "../runs/guard/rules.js";
import type { SnapshotCollection } from "../sync/collections.js";
import { counted } from "../sync/report-text.js";
import type { Io } from "./io.js";
import { UsageError } from "./options.js";
import type { ProgressLine } from "./progress.js";

type Counts = { -readonly [C in SnapshotCollection]?: number };

/** @param text Such as `1240,12`: a number for each snapshot, in the order of the connector. */
export function countsOf(text: string, snapshots: readonly SnapshotCollection[]): FirstRun {
  const numbers = text.split(",");
  if (numbers.length !== snapshots.length || !numbers.every((number) => /^\d{1,12}$/.test(number)))
    throw new UsageError(
      `--first-run must be alone, or have a number of records for ${snapshots.join(",")}.`,
    );
  return Object.fromEntries(snapshots.map((name, i) => [name, Number(numbers[i])]));
}

/**
 * Asks on the terminal to confirm what a first run has read, before it is judged and sent.
 * @returns the connector that asks, and the counts that were confirmed, which it fills in
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
  // Unlike question(), it also ends if nobody can answer.
  const typed = await input[Symbol.asyncIterator]().next();
  input.close();
  io.signal.throwIfAborted();
  if (typed.done === true || typed.value.trim() !== wanted)
    throw new UsageError(`Nothing was sent: you didn't type ${wanted}.`);
}
