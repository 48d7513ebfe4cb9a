import type { Command } from "commander";
import { addConnectionOptions, type ConnectionOptions } from "../connection/options.js";
import { addExamples } from "../examples.js";
import type { Io } from "../io.js";
import { openHistory } from "./open-history.js";

export function define(command: Command, io: Io): void {
  addExamples(command, "saas-management runs", "saas-management runs --json | jq .runs[-1]");
  command.description(
    "Shows the last runs that this ledger has seen completed, up to 30, with their figures.",
  );
  addConnectionOptions(command).action(async (options: ConnectionOptions) => {
    const { runs, held } = await openHistory(options, io);
    const lines = runs.map((run) => `${io.style("bold", run.completedAt.toISOString())} ${run}`);
    if (lines.length === 0) lines.push("The ledger knows no completed run of this installation.");
    if (held !== undefined) lines.push(`A run is held since ${held.heldAt.toISOString()}: see held.`);
    io.data({ runs, held: held ?? null }, () => lines.join("\n"));
  });
}
