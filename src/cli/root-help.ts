import { COMMANDS } from "./commands.js";

const WIDTH = 16;

const OPTIONS = { "-v, --version": "show the version", "-h, --help": "show this" };

/** The help of the program, without loading what parses arguments. */
export function rootHelp(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary] as const);
  return `Examples:
  saas-management serve > .env                     # a reference server to try it on
  saas-management push --collection accounts=users.csv --preview
  saas-management push --collection accounts=users.csv --first-run

Usage: saas-management [options] [command]

Pushes data to the SaaS Management Service, and reads it.

Options:
${list(Object.entries(OPTIONS))}
Commands:
${list([...commands, ["help [command]", "show the options of a command"]])}`;
}

function list(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([name, what]) => `  ${name.padEnd(WIDTH)}${what}\n`).join("");
}
