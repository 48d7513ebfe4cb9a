import {
  AuthenticationError,
  ConfigurationError,
  type HeldReport,
  SaasManagementError,
} from "../core/errors/index.js";
import { escapeControls } from "../core/redact.js";
import { UsageError } from "./command-module.js";
import { EXIT, exitCodeOf } from "./exit-codes.js";
import type { Io } from "./io.js";

/** A command that helps, and when. */
interface NextStep {
  readonly command: string;
  readonly when: string;
}

/** Reports an error on stderr. @returns the exit code */
export function report(error: unknown, io: Io): number {
  const status = exitCodeOf(error);
  const message = messageOf(error);
  const next = nextSteps(error, status);
  if (io.json) {
    io.writeError(`${JSON.stringify({ status, code: codeOf(error), message, next })}\n`);
    return status;
  }
  io.writeError(`saas-management: ${message}\n`);
  if (error instanceof UsageError) io.writeError('Try "saas-management --help".\n');
  else for (const { command, when } of next) io.writeError(`  ${command}  # ${when}\n`);
  if (status === EXIT.unexpected) io.writeError(stackOf(error));
  return status;
}

function codeOf(error: unknown): string {
  if (error instanceof SaasManagementError) return error.code;
  return error instanceof UsageError ? "USAGE" : "UNEXPECTED";
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return escapeControls(String(error));
  // Why a function of the command line could not provide the key.
  const isProvided = error instanceof AuthenticationError && error.cause instanceof ConfigurationError;
  return escapeControls(isProvided ? `${error.message} ${messageOf(error.cause)}` : error.message);
}

/** Where a connector failed. Errors of the SDK and of the system say enough. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error) || "code" in error || error.stack === undefined) return "";
  const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((line) => `${escapeControls(line)}\n`).join("");
}

function nextSteps(error: unknown, exit: number): readonly NextStep[] {
  if (error instanceof SaasManagementError && error.code === "RUN_HELD") return heldSteps(error.report);
  if (codeOf(error) === "RUN_OUTDATED")
    return [{ command: "saas-management runs", when: "to see the run that was completed meanwhile" }];
  switch (exit) {
    case EXIT.usage:
      return [{ command: "saas-management --help", when: "to see commands and options" }];
    case EXIT.unavailable:
    case EXIT.unauthorized:
    case EXIT.configuration:
      return [{ command: "saas-management doctor", when: "to check configuration, network and key" }];
    case EXIT.comeAgain:
      return [{ command: "saas-management doctor", when: "to see whose lock it is" }];
    case EXIT.outcomeUnknown:
      return [{ command: "saas-management runs", when: "after the next run, to see that it completed" }];
    default:
      return [];
  }
}

/** What to call if the ledger is new. */
export function firstRunSteps({ reasons }: HeldReport): readonly NextStep[] {
  const isFirst = reasons.every(({ rule }) => rule === "no-baseline");
  return isFirst ? [{ command: calledAgainWith("--first-run"), when: "if this is its first run" }] : [];
}

function heldSteps(report: HeldReport): readonly NextStep[] {
  const { approval } = report;
  const see = { command: "saas-management held", when: "to see what would be removed" };
  const decide =
    approval === undefined
      ? []
      : [
          {
            command: `saas-management approve ${approval.id}`,
            when: "if it is right: the next run goes through",
          },
          { command: `saas-management refuse ${approval.id}`, when: "if the source was wrong" },
        ];
  return [see, ...firstRunSteps(report), ...decide];
}

/** The arguments of this process never hold a key. */
function calledAgainWith(option: string): string {
  const args = process.argv.slice(2).map((arg) => (/^[\w./=:@-]+$/.test(arg) ? arg : JSON.stringify(arg)));
  return ["saas-management", ...args, option].join(" ");
}
