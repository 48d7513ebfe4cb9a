import { ConfigurationError, SaasManagementError } from "../core/errors/index.js";
import type { Logger } from "../core/hooks.js";
import { escapeControls } from "../core/redact.js";
import { variable } from "./environment.js";

const LEVELS = ["debug", "info", "warn", "error"] as const;

/**
 * The logger of a client without a `logger`: writes lines of the level in `SAAS_MANAGEMENT_LOG` or above to stderr.
 * @throws {ConfigurationError} the variable isn't a level
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
  // Doesn't use `process.stderr`, because that stream would end the process once nobody reads stderr any more.
  process.getBuiltinModule("node:fs").writeSync(2, `${line}\n`);
}

/** Errors from a connector or a callback may quote records; errors of the SDK never do. */
function withoutContents(this: { readonly error?: unknown }, key: string, value: unknown): unknown {
  // `value` is already the result of the error's toJSON.
  if (key !== "error" || this.error instanceof SaasManagementError) return value;
  return this.error instanceof Error ? this.error.name : typeof this.error;
}
