/** The exit codes of the command line (docs/guides/operating.md has the same table). */
import { disposition } from "../core/errors/disposition.js";
import { SaasManagementError } from "../core/errors/index.js";
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

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof SaasManagementError)) return EXIT.unexpected;
  switch (error.code) {
    case "INTERRUPTED":
      return error.signalName === "SIGTERM" ? EXIT.SIGTERM : EXIT.SIGINT;
    case "BATCH_OUTCOME_UNKNOWN":
      return EXIT.outcomeUnknown;
    case "TRANSPORT_FAILED":
    case "TIMEOUT":
      return EXIT.unavailable;
    default:
      return OF_DISPOSITION[disposition(error)];
  }
}
