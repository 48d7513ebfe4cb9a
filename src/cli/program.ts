import { Command, CommanderError } from "commander";
import { VERSION } from "../core/version.js";
import { addExamples, UsageError } from "./command-module.js";
import { COMMANDS } from "./commands.js";
import type { Io } from "./io.js";

const MAX_QUOTED = 100;

/** Parses the arguments and runs their command. @throws {UsageError} the arguments are wrong */
export async function runProgram(args: readonly string[], io: Io): Promise<void> {
  const program = new Command("saas-management")
    .description("Pushes data to the SaaS Management Service, and reads it.")
    .version(VERSION, "-v, --version", "show the version")
    .helpOption("-h, --help", "show this")
    .helpCommand("help [command]", "show the options of a command")
    .configureOutput({ writeOut: (text) => void io.write(text), writeErr: () => {} })
    .exitOverride();
  addExamples(
    program,
    "saas-management serve > .env                     # a reference server to try it on",
    "saas-management push --collection accounts=users.csv --preview",
    "saas-management push --collection accounts=users.csv --first-run",
  );
  const called = calledCommand(args);
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${capitalize(summary)}.`);
    if (name !== called) continue;
    (await load()).define(command, io, COMMANDS);
    command.option("--json", "print JSON, also for errors");
  }
  if (args.length === 0) throw new UsageError("A command is missing.");
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(problemOf(error));
  }
}

function calledCommand(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((argument) => !argument.startsWith("-"));
  return first === "help" ? second : first;
}

/** Commander's message in one line. */
function problemOf({ code, message }: CommanderError): string {
  // Of a program without arguments; it has printed its help.
  if (code === "commander.help") return "A command is missing.";
  // A value may be a misplaced key.
  const text = message
    .replace(/^error: /, "")
    .replaceAll("\n", " ")
    .replaceAll(/'(--?[^'=]+)=[^']*'/g, "'$1'");
  const short = text.replaceAll(/'([^']{100})[^']*'/g, "'$1…'");
  const line = short.length > 3 * MAX_QUOTED ? `${short.slice(0, 3 * MAX_QUOTED)}…` : short;
  if (/'--api-?key'/i.test(line))
    return "A key is never an argument: use --api-key-file, a profile or SAAS_MANAGEMENT_API_KEY.";
  return /[.?)]$/.test(line) ? capitalize(line) : `${capitalize(line)}.`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
