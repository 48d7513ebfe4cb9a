import {
  GraphQLResponseError,
  type HeldReport,
  InvalidInputError,
  RunHeldError,
  SaasManagementError,
} from "../core/errors/index.js";
import { causesOf } from "../core/network-errors.js";
import { escapeControls } from "../core/redact.js";
import { EXIT, type NextStep, nextOf } from "./exit-codes.js";
import { forTerminal, type Io } from "./io.js";
import { UsageError } from "./options.js";

/** Options of the API, and what a shell has in their place. */
const IN_A_SHELL: readonly (readonly [RegExp, string])[] = [
  [/[.;] ?See (the (error's )?cause|serverMessage for its reason|errors( and data)?|the log)(?=\.)/gi, ""],
  [/firstRun must not be true/, "--first-run is refused"],
  [/Leave it out, or set it from the command line: firstRun: .*/, "Leave it out."],
  [/run once with firstRun: true/, "run once with --first-run"],
  [/run again with approve: "([^"]+)"/, "run saas-management approve $1 and then the same command,"],
  [/Set waitForLockMs/, "Use --wait-for-lock SECONDS"],
  [/set apiKey \(or (\w+) with fromEnv\), or authorization/, "use $1 or --api-key-file FILE"],
  [/pass it to the call, or set \S+ of the client \((\w+) with fromEnv\)/, "use $1 or --installation ID"],
  [/Set baseUrl for the GraphQL API, syncUrl for the Sync API, or both \((.*) with fromEnv\)/, "Set $1"],
  [/\b\w+ \((SAAS_MANAGEMENT_\w+) with fromEnv\)/g, "$1"],
  [/use fileLedger\(directory\)/, "set ledger in the configuration"],
];

/** Reports an error on stderr. @returns the exit code */
export function report(error: unknown, io: Io): number {
  const { exitCode: status, help } = nextOf(error);
  const message = messageOf(error);
  const reasons = reasonsOf(error);
  const next = [
    ...(help === undefined ? [] : [help]),
    ...(error instanceof RunHeldError ? heldSteps(error.report) : []),
  ];
  if (io.json) {
    const held = error instanceof RunHeldError ? { held: error.report } : {};
    io.writeError(`${JSON.stringify({ status, code: codeOf(error), message, reasons, next, ...held })}\n`);
    return status;
  }
  const said = error instanceof RunHeldError ? inShellWords(String(error.report)) : message;
  const lines = [`saas-management: ${said}`, ...reasons.map((reason) => `  ${reason}`)].join("\n");
  io.writeError(`${forTerminal(lines, process.stderr)}\n`);
  if (error instanceof UsageError) io.writeError('Try "saas-management --help".\n');
  for (const step of next) io.writeError(`${lineOf(step)}\n`);
  if (status === EXIT.unexpected) io.writeError(stackOf(error));
  return status;
}

export function lineOf({ command, when }: NextStep): string {
  return `  ${command}  # ${when}`;
}

function codeOf(error: unknown): string {
  if (error instanceof SaasManagementError) return error.code;
  return error instanceof UsageError ? "USAGE" : "UNEXPECTED";
}

export function messageOf(error: unknown): string {
  return inShellWords(escapeControls(error instanceof Error ? error.message : String(error)));
}

/** A text of lines, with the shell's words. */
export function inShellWords(text: string): string {
  return IN_A_SHELL.reduce((shown, [pattern, words]) => shown.replace(pattern, words), text);
}

/** What the service said, each problem of the input, and the messages of the causes. */
export function reasonsOf(error: unknown): readonly string[] {
  const reasons = causesOf(error).flatMap((cause, depth) => [
    ...(depth === 0 ? [] : [`because: ${messageOf(cause)}`]),
    ...saidBy(cause).map((said) => `the service says: ${escapeControls(said)}`),
  ]);
  const issues = error instanceof InvalidInputError && error.issues.length > 1 ? error.issues : [];
  const problems = issues.map(({ location = "", path, expected }) =>
    escapeControls(`${location} ${path}: expected ${expected}`.trim()),
  );
  return [...new Set([...problems, ...reasons])].filter(
    (reason) => !reason.endsWith(`: ${messageOf(error)}`),
  );
}

function saidBy(error: unknown): readonly string[] {
  if (!(error instanceof SaasManagementError)) return [];
  const { serverMessage } = error;
  if (error instanceof GraphQLResponseError)
    return error.errors.map(({ message, field }) => (field === undefined ? message : `${field}: ${message}`));
  return serverMessage === undefined || serverMessage === "" ? [] : [serverMessage];
}

/** Where a connector failed. Errors of the SDK and of the system say enough. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error) || "code" in error || error.stack === undefined) return "";
  const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((line) => `${escapeControls(line)}\n`).join("");
}

/** What lets a held run pass. @param again The command that was held. */
export function heldSteps({ approval, reasons }: HeldReport, again = calledAgain()): readonly NextStep[] {
  const isFirst = reasons.every(({ rule }) => rule === "no-baseline");
  const first = isFirst ? [{ command: `${again} --first-run`, when: "if this is its first run" }] : [];
  const when = "if the change is right: the next run goes through";
  return approval ? [...first, { command: `saas-management approve ${approval.id}`, when }] : first;
}

/** The arguments of this process never hold a key. */
function calledAgain(): string {
  const args = process.argv.slice(2).map((arg) => (/^[\w./=:@-]+$/.test(arg) ? arg : JSON.stringify(arg)));
  return ["saas-management", ...args].join(" ");
}
