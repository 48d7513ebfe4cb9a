import { Command, CommanderError } from "commander";
import { VERSION } from "../core/version.js";
import { COMMANDS } from "./commands.js";
import type { Io } from "./io.js";
import { FIRST_RUN_COUNTS, OPTIONS, type Options, UsageError } from "./options.js";

const NAME = "saas-management";

/** Parses the arguments and runs their command. @throws {UsageError} the arguments are wrong */
export async function runProgram(args: readonly string[], io: Io): Promise<void> {
  const program = new Command(NAME)
    .description("Pushes data to the SaaS Management Service, and reads it.")
    .version(VERSION, "-v, --version", "show the version")
    .helpOption("-h, --help", "show this")
    .helpCommand("help [command]", "show the options of a command")
    .configureOutput({ writeOut: (text) => void io.write(text), writeErr: () => {} })
    .configureHelp({ minWidthToWrap: 20 })
    .exitOverride();
  io.command = args.slice(0, 1).filter((word) => Object.hasOwn(COMMANDS, word));
  addExamples(program, ["serve --write-env .env", "push accounts=users.csv --preview"]);
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const { summary, more = "", argument, options, examples, load } = entry;
    const command = program
      .command(name)
      .summary(summary)
      .description(`${capitalize(summary)}. ${more}`.trim());
    if (argument !== undefined) command.addArgument(argument);
    for (const option of options) command.addOption(OPTIONS[option]);
    addExamples(command, examples);
    command.action(async () => (await load()).run(command.args, command.opts<Options>(), io));
  }
  try {
    await program.parseAsync(
      (args.length === 0 ? ["--help"] : args).map((arg) =>
        arg.replace(/^--first-run=/, `${FIRST_RUN_COUNTS}=`),
      ),
      { from: "user" },
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(problemOf(error));
  }
}

function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((line) => `  ${line.startsWith("cd ") ? line : `${NAME} ${line}`}\n`);
  command.addHelpText("before", `Examples:\n${lines.join("")}`);
}

/** Commander's message in one line. */
function problemOf({ code, message }: CommanderError): string {
  // Commander reports this for options without a command.
  if (code === "commander.help") return "A command is missing.";
  // Values are removed, because one may be a misplaced key.
  const text = message
    .replace(/^error: /, "")
    .replaceAll("\n", " ")
    .replaceAll(FIRST_RUN_COUNTS, "--first-run")
    .replaceAll(/'(--?[^'=]+)=[^']*'/g, "'$1'")
    .replace(/ argument '.*' is invalid\./s, " is invalid.");
  const short = text.replaceAll(/'([^']{100})[^']*'/g, "'$1…'");
  const line = short.length > 300 ? `${short.slice(0, 300)}…` : short;
  if (/'--api-?key'/i.test(line))
    return "A key is never an argument: use --api-key-file or SAAS_MANAGEMENT_API_KEY.";
  return /[.?)]$/.test(line) ? capitalize(line) : `${capitalize(line)}.`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
