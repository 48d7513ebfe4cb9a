import { styleText } from "node:util";
import { escapeControls, redactSecrets, secretsIn } from "../core/redact.js";

/**
 * The streams of the process. Data goes to stdout and everything else to stderr. With `--json`, each line of either is a
 * JSON value.
 */
export class Io {
  readonly json: boolean;
  /** Fires at the first SIGINT or SIGTERM, with an `InterruptedError`; a second one ends the process. */
  readonly signal: AbortSignal;
  readonly #secrets: string[] = [];

  constructor(json: boolean, signal: AbortSignal) {
    this.json = json;
    this.signal = signal;
  }

  /** Whether stderr can be drawn over. */
  get isTerminal(): boolean {
    return !this.json && process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
  }

  /** Writes a result: the value with `--json`, otherwise its text. */
  data(value: object, text: () => string): void {
    this.write(this.json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
  }

  /** Writes to stdout as it is. @returns false if the reader is slow: wait for `drain` */
  write(text: string): boolean {
    return process.stdout.write(this.#clean(text));
  }

  /** Tells a person something that is no result. */
  note(message: string): void {
    this.#tell("info", message, "");
  }

  warn(message: string): void {
    this.#tell("warning", message, "Warning: ");
  }

  /** Writes to stderr as it is. */
  writeError(text: string): void {
    process.stderr.write(this.#clean(text));
  }

  style(format: Parameters<typeof styleText>[0], text: string): string {
    // Newer versions of Node would look at the environment again.
    return !this.json && hasColors() ? styleText(format, text, { validateStream: false }) : text;
  }

  /** Keeps a key out of everything that is written. */
  addSecret(secret: string): void {
    if (secret !== "") this.#secrets.push(...secretsIn(secret));
  }

  #tell(level: "info" | "warning", message: string, prefix: string): void {
    const line = escapeControls(message);
    this.writeError(this.json ? `${JSON.stringify({ level, message: line })}\n` : `${prefix}${line}\n`);
  }

  #clean(text: string): string {
    return this.#secrets.length === 0 ? text : redactSecrets(text, this.#secrets);
  }
}

/** FORCE_COLOR wins over NO_COLOR, as in Node. */
function hasColors(): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = process.env;
  if (force !== undefined) return force !== "0" && force !== "false";
  return (no ?? "") === "" && term !== "dumb" && process.stdout.isTTY === true;
}
