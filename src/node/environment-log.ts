import { ConfigurationError, SaasManagementError } from "../core/errors/index.js";
import type { Logger } from "../core/hooks.js";
import { escapeControls } from "../core/redact.js";
import { variable } from "./environment.js";

const LEVELS = ["debug", "info", "warn", "error"] as const;

/**
 * The log of a client without a logger: lines on stderr, from the level that `SAAS_MANAGEMENT_LOG` names.
 * @throws {ConfigurationError} it names none
 */
export function environmentLogger(): Logger | undefined {
  const given = variable("LOG");
  if (given === undefined) return undefined;
  const least = LEVELS.findIndex((level) => level === given && level !== "error");
  if (least < 0) throw new ConfigurationError("SAAS_MANAGEMENT_LOG must be debug, info or warn.");
  const from = (level: number): Logger["debug"] =>
    level < least ? () => {} : (message, details) => write(`${LEVELS[level]} ${message}`, details);
  return { debug: from(0), info: from(1), warn: from(2), error: from(3) };
}

function write(message: string, details: object | undefined): void {
  const facts = details === undefined ? "" : ` ${JSON.stringify(details, withoutContents)}`;
  const line = escapeControls(`${new Date().toISOString()} ${message}${facts}`);
  // Not the stream of the process, which ends the process if nobody reads stderr any more.
  process.getBuiltinModule("node:fs").writeSync(2, `${line}\n`);
}

/** What a connector or a callback throws may quote records; the errors of the SDK quote none. */
function withoutContents(this: { readonly error?: unknown }, key: string, value: unknown): unknown {
  // `value` is what toJSON of the error returned.
  if (key !== "error" || this.error instanceof SaasManagementError) return value;
  return this.error instanceof Error ? this.error.name : typeof this.error;
}
