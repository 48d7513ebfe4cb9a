import type { Command } from "commander";
import type { Io } from "./io.js";

/** A module of a command: adds its arguments, options, examples and action. */
export interface CommandModule {
  define(command: Command, io: Io, all: CommandEntries): void;
}

export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export type CommandEntries = Readonly<Record<string, CommandEntry>>;

/** The arguments of the command line are wrong. */
export class UsageError extends Error {}

/** Reads a number of an option. @throws {UsageError} it is not as `expected` says */
export function numberOf(option: string, text: string, pattern: RegExp, expected: string): number {
  if (pattern.test(text)) return Number(text);
  throw new UsageError(`${option} must be ${expected}.`);
}

/** Makes the help of a command begin with examples. */
export function addExamples(command: Command, ...examples: readonly string[]): void {
  command.addHelpText("before", `Examples:\n${examples.map((example) => `  ${example}\n`).join("")}`);
}
