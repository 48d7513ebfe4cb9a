import {
  GraphQLResponseError,
  type HeldReport,
  InvalidInputError,
  RunHeldError,
  SaasManagementError,
} from "../core/errors/index.js";
import { causesOf } from "../core/network-errors.js";
import { escapeControls } from "../core/redact.js";
import { heldLines } from "../runs/guard/held-report.js";
import { CHECK, EXIT, helpOf, inShell, type NextStep, nextOf } from "./exit-codes.js";
import { forTerminal, type Io } from "./io.js";
import { UsageError } from "./options.js";

/**
 * Replaces the SDK's advice about an option with advice for a shell; $ is the advised value. Advice about other options
 * is dropped, because the report shows the causes and the service's message below.
 */
const IN_A_SHELL: Readonly<Record<string, string>> = {
  allowEmpty: "set allowEmpty for it in a configuration",
  apiKey: "use $ or --api-key-file FILE",
  baseUrl: "$",
  encoding: "--encoding $",
  firstRun: "--first-run",
  installationId: "use SAAS_MANAGEMENT_INSTALLATION_ID or --installation ID",
  ledger: "set ledger in the configuration",
  pageSize: " Lower --page-size.",
  syncUrl: "$",
  waitForLockMs: "Use --wait-for-lock SECONDS",
};

/** Maximum number of issues to show, because a wrong file has one in every row. */
const SHOWN_ISSUES = 3;

/** Reports an error on stderr. @returns the exit code */
export function report(error: unknown, io: Io): number {
  const { exitCode: status, help } = nextOf(error);
  const held = error instanceof RunHeldError ? error.report : undefined;
  const message = held?.summary ?? messageOf(error);
  const id = held?.approval?.id;
  const own = `The module sets its own ledger: set approve: "${id}" in its options, or sync.ledger in a configuration.`;
  const reasons = [...reasonsOf(error), ...(io.hasOwnLedger && id !== undefined ? [own] : [])];
  const next = [
    ...(help === undefined || (io.hasOwnLedger && help !== CHECK) ? [] : [help]),
    ...(held === undefined ? [] : firstRunSteps(held)),
    ...(held === undefined || io.hasOwnLedger ? [] : approveSteps([held])),
  ];
  if (io.json) {
    io.log("error", message, { status, code: codeOf(error), reasons, next, held });
    return status;
  }
  const said = held === undefined ? message : heldLines(held).join("\n");
  const lines = [`saas-management: ${said}`, ...reasons.map((reason) => `  ${reason}`)].join("\n");
  io.writeError(`${forTerminal(lines, process.stderr)}\n`);
  if (error instanceof UsageError) io.writeError(`Try "${inShell([...io.command, "--help"])}".\n`);
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

/** @param lineBreak Replaces each line break of the message. */
export function messageOf(error: unknown, lineBreak = "\n"): string {
  const text = error instanceof Error ? error.message : String(error);
  const advice = error instanceof SaasManagementError ? error.advice : undefined;
  const { option = "", value = "", text: replaced = "" } = advice ?? {};
  const said = text.replace(replaced, () => (IN_A_SHELL[option] ?? "").replace("$", value));
  return escapeControls(said.replace(/\s*\n\s*/g, lineBreak));
}

/** Returns what the service said, each problem of the input, and the messages of the causes. */
export function reasonsOf(error: unknown): readonly string[] {
  const message = messageOf(error);
  const isSaid = (reason: string) => message.includes(reason.replace(/\.$/, ""));
  const reasons = causesOf(error).flatMap((cause, depth) => [
    ...(depth === 0 || isSaid(messageOf(cause)) ? [] : [`because: ${messageOf(cause, " ")}`]),
    ...saidBy(cause).flatMap((said) => (isSaid(said) ? [] : [`the service says: ${escapeControls(said)}`])),
  ]);
  const issues = error instanceof InvalidInputError && error.issues.length > 1 ? error.issues : [];
  const problems = issues
    .slice(0, SHOWN_ISSUES)
    .map(({ location = "", path, expected }) =>
      escapeControls(`${location} ${path}: expected ${expected}`.trim()),
    );
  const others = issues.length - problems.length;
  const more = others > 0 ? [`and at least ${others} more problems`] : [];
  return [...new Set([...problems, ...more, ...reasons])];
}

function saidBy(error: unknown): readonly string[] {
  if (!(error instanceof SaasManagementError)) return [];
  const { serverMessage } = error;
  if (error instanceof GraphQLResponseError) return error.errors.map(({ message }) => message);
  return serverMessage === undefined || serverMessage === "" ? [] : [serverMessage];
}

/** Shows where a connector failed. Errors of the SDK and of the system don't need a stack. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error) || "code" in error || error.stack === undefined) return "";
  const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((line) => `${escapeControls(line)}\n`).join("");
}

/** The held command with `--first-run`, if a missing baseline is the only reason. */
export function firstRunSteps({ reasons }: HeldReport): readonly NextStep[] {
  if (!reasons.every(({ rule }) => rule === "no-baseline")) return [];
  return [{ command: inShell([...process.argv.slice(2), "--first-run"]), when: "if this is the first run" }];
}

/** Commands to show and approve held runs; none if the ledger couldn't store the runs. */
export function approveSteps(held: readonly Pick<HeldReport, "approval">[]): readonly NextStep[] {
  const offers = held.flatMap(({ approval }) => approval ?? []);
  // Elsewhere, the command might open another ledger.
  const when = (until: Date) => `if the change is right: run it here, before ${until.toISOString()}`;
  return [
    ...(offers.length === 0 ? [] : [helpOf("status --ids", "to see all ids")]),
    ...offers.map(({ id, expiresAt }) => helpOf(`approve ${id}`, when(expiresAt))),
  ];
}
