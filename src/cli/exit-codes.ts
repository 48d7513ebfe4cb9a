/** Maps errors to exit codes (docs/reference/command-line.md has the same table) and to commands that help. */
import { existsSync } from "node:fs";
import { disposition } from "../core/errors/disposition.js";
import { type ErrorCode, SaasManagementError } from "../core/errors/index.js";
import { UsageError } from "./options.js";

export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  data: 65,
  unavailable: 69,
  comeAgain: 75,
  unauthorized: 77,
  configuration: 78,
  held: 80,
  outcomeUnknown: 81,
  surprised: 82,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

const OF_DISPOSITION = {
  "retry-now": EXIT.comeAgain,
  "retry-after": EXIT.comeAgain,
  "needs-approval": EXIT.held,
  "fix-data": EXIT.data,
  "fix-configuration": EXIT.configuration,
  "fix-credential": EXIT.unauthorized,
  unknown: EXIT.unexpected,
} as const;

/** A command that helps, and when to use it. */
export interface NextStep {
  readonly command: string;
  readonly when: string;
}

/** Options that select the ledger, the installation and the credential. */
const KEPT: readonly unknown[] = ["--config", "--installation", "--api-key-file"];
export const CHECK = helpOf("doctor", "to check addresses, proxy and key");
const LOAD_ENV: NextStep = { command: "set -a && . ./.env && set +a", when: "to load the settings in .env" };

/** Errors for which a command helps, or whose exit code differs from the usual one for their disposition. */
const NEXT: Readonly<Partial<Record<ErrorCode, Partial<ReturnType<typeof nextOf>>>>> = {
  RUN_OUTDATED: { help: helpOf("status", "to see the run that completed in the meantime") },
  BATCH_OUTCOME_UNKNOWN: {
    exitCode: EXIT.outcomeUnknown,
    help: helpOf("status", "after the next run, to see that it completed"),
  },
  BATCH_IN_PROGRESS: { help: helpOf("doctor", "to see whose lock it is") },
  TRANSPORT_FAILED: { exitCode: EXIT.unavailable, help: CHECK },
  TIMEOUT: { exitCode: EXIT.unavailable, help: CHECK },
  AUTHENTICATION_FAILED: { help: CHECK },
  PERMISSION_DENIED: { help: CHECK },
};

/** A command with this process's configuration, installation and credential. */
export function helpOf(words: string, when: string): NextStep {
  const kept = process.argv.filter(
    (arg, i, all) => KEPT.includes(arg.split("=")[0]) || KEPT.includes(all[i - 1]),
  );
  return { command: inShell([...words.split(" "), ...kept]), when };
}

/** A command with these arguments. This process's arguments never contain a key. */
export function inShell(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w./=:@-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  // The command of a package that is installed locally isn't in a shell's PATH.
  const program = process.argv[1]?.includes("node_modules/.bin") ? "npx saas-management" : "saas-management";
  return [program, ...quoted].join(" ");
}

/** What a shell or a scheduler should do after an error. */
export function nextOf(error: unknown): { readonly exitCode: number; readonly help?: NextStep } {
  if (error instanceof UsageError) return { exitCode: EXIT.usage };
  const exitCode = OF_DISPOSITION[disposition(error)];
  if (!(error instanceof SaasManagementError)) return { exitCode };
  if (error.code === "INTERRUPTED")
    return { exitCode: error.signalName === "SIGTERM" ? EXIT.SIGTERM : EXIT.SIGINT };
  const isUnset = error.advice?.value?.startsWith("SAAS_MANAGEMENT_") === true;
  if (isUnset && existsSync(".env")) return { exitCode, help: LOAD_ENV };
  return { exitCode, ...NEXT[error.code] };
}
