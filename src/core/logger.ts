/**
 * Where the SDK writes what it does: `console` fits, and what takes the message first, as winston and consola do. pino
 * and bunyan take the details first: docs/guides/operations.md has a logger around them. Never gets a key, a variable
 * or a record.
 */
export interface Logger {
  /** What the SDK does, step by step. */
  debug(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What may be of interest in operation. */
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What went wrong and was mended, such as a retry. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What went wrong and was not mended, though no call fails of it. */
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** Writes nothing. */
export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A logger that never throws: what cannot be written must not fail what is written about. */
export function safeLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return SILENT;
  const safe =
    (level: keyof Logger): Logger["debug"] =>
    (message, details) => {
      try {
        // One that is asynchronous may reject, whatever its type says.
        Promise.resolve<unknown>(logger[level](message, details)).catch(() => {});
      } catch {
        // There is nowhere to write that it cannot be written.
      }
    };
  return { debug: safe("debug"), info: safe("info"), warn: safe("warn"), error: safe("error") };
}
