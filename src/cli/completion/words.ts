import { Command } from "commander";
import type { CommandEntries } from "../command-module.js";
import type { Io } from "../io.js";

/** An option, as completions need it. */
export interface KnownOption {
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export interface KnownCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly KnownOption[];
  /** What its first argument may be, if that is one of some words. */
  readonly choices: readonly string[];
}

/** Asks each command for its options, as its help does. */
export async function knownCommands(all: CommandEntries, io: Io): Promise<readonly KnownCommand[]> {
  const known: KnownCommand[] = [];
  for (const [name, { summary, load }] of Object.entries(all)) {
    const command = new Command(name);
    (await load()).define(command, io, all);
    const own = command.options.map(({ long, flags, description, required, argChoices = [] }) => {
      return { flag: long ?? flags, description, takesValue: required, choices: argChoices };
    });
    const shared = [
      { flag: "--json", description: "print JSON, also for errors", takesValue: false, choices: [] },
      { flag: "--help", description: "show the options", takesValue: false, choices: [] },
    ];
    const choices = command.registeredArguments[0]?.argChoices ?? [];
    known.push({ name, summary, options: [...own, ...shared], choices });
  }
  return known;
}
