import type { Command } from "commander";

/** Makes the help of a command begin with examples. */
export function addExamples(command: Command, ...examples: readonly string[]): void {
  command.addHelpText("before", `Examples:\n${examples.map((example) => `  ${example}\n`).join("")}`);
}
