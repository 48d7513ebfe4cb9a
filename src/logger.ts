/** Where the SDK writes what it does; `console` and pino fit. Never gets a key, a variable or a record. */
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

/** A logger that cannot fail: what the user's one throws is dropped, for there is nowhere to tell of it. */
export function guardLogger(logger: Logger): Logger {
  const guarded =
    (level: keyof Logger): Logger[typeof level] =>
    (message, details) => {
      try {
        logger[level](message, details);
      } catch {
        // Whoever looks on must not fail what is looked at.
      }
    };
  return { debug: guarded("debug"), info: guarded("info"), warn: guarded("warn"), error: guarded("error") };
}

/** Writes nothing. */
export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
