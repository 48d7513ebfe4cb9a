/**
 * Where the SDK logs. `console` fits, and loggers that take the message first, as winston and consola do. pino and bunyan
 * take the details first: docs/guides/operations.md shows how to wrap them. Never gets a key, a variable or a record.
 */
export interface Logger {
  /** What the SDK does, step by step. */
  debug(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What may be of interest in operation. */
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What went wrong and was handled, such as a retry. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What went wrong and was not handled, although no call fails because of it. */
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Wraps a logger: it never throws, because a failure to log must not fail what is logged. */
export function safeLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return SILENT;
  const safe =
    (level: keyof Logger): Logger["debug"] =>
    (message, details) => {
      try {
        // Some loggers are asynchronous, whatever the type says.
        Promise.resolve<unknown>(logger[level](message, details)).catch(() => {});
      } catch {
        // There is nowhere to log it.
      }
    };
  return { debug: safe("debug"), info: safe("info"), warn: safe("warn"), error: safe("error") };
}
