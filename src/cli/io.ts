import { escapeControls, redactSecrets, secretsIn } from "../core/redact.js";
import { wrapped } from "../sync/report-text.js";
import { takeOver } from "./printed.js";

const CLEAR_LINE = "\r\u001b[2K";
/** Control characters that affect a terminal (all but line feeds and tabs), and marks that reverse text. */
const OBEYED = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The terminal's width. Undefined if there is no terminal, or if its width is 0, as in a container. */
export function columnsOf({
  isTTY,
  columns,
}: Pick<typeof process.stdout, "isTTY" | "columns">): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

/** Wraps lines at words on a terminal, and leaves them alone elsewhere. */
export function forTerminal(text: string, stream: Parameters<typeof columnsOf>[0]): string {
  const columns = columnsOf(stream);
  if (columns === undefined) return text;
  const lines = text.split("\n").flatMap((line) => {
    const [indent = ""] = /^(- )?/.exec(line) ?? [];
    return wrapped(line.slice(indent.length), columns - indent.length).map(
      (part, i) => (i === 0 ? indent : " ".repeat(indent.length)) + part,
    );
  });
  return lines.join("\n");
}

type Level = "debug" | "info" | "warn" | "error";

/**
 * The streams of the process. Data goes to stdout and everything else to stderr. With `--json`, each line of both
 * streams is a JSON value, even if a connector prints text. Data can't control the terminal.
 */
export class Io {
  readonly json: boolean;
  readonly verbose: boolean;
  /** Fires at the first SIGINT or SIGTERM, with an `InterruptedError`; a second signal ends the process. */
  readonly signal: AbortSignal;
  hasWritten = false;
  /** The name of the command; empty if there is no such command. */
  command: readonly string[] = [];
  /** Whether the command continues when nobody reads its output, for the sake of its exit code. */
  finishes = false;
  /** Whether a run used its module's ledger, which other commands don't open. */
  hasOwnLedger = false;
  /** The run's installation, for lines of JSON. */
  installationId: string | undefined;
  readonly #secrets: string[] = [];
  readonly #stdout: typeof process.stdout.write = process.stdout.write.bind(process.stdout);
  readonly #stderr: typeof process.stderr.write = process.stderr.write.bind(process.stderr);
  #drawn = "";

  constructor(args: readonly string[], signal: AbortSignal) {
    this.json = args.includes("--json");
    this.verbose =
      args.includes("--verbose") || /^(debug|info)$/.test(process.env["SAAS_MANAGEMENT_LOG"] ?? "");
    this.signal = signal;
    if (!this.json) return;
    this.#stdout = takeOver(process.stdout, (line) => this.log("info", line));
    this.#stderr = takeOver(process.stderr, (line) => this.log("warn", line));
    process.removeAllListeners("warning").on("warning", (warning) => this.log("warn", String(warning)));
  }

  /** Whether a line on stderr can be redrawn. */
  get isTerminal(): boolean {
    return !this.json && process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
  }

  /** Writes a result: the value with `--json`, otherwise its text. */
  data(value: object, text: () => string): void {
    this.write(this.json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
  }

  /** Writes to stdout. @returns false if the reader is slow: wait for `drain` */
  write(text: string): boolean {
    this.hasWritten = true;
    return this.#stdout(this.#clean(text));
  }

  /** Tells a person something that isn't the result. */
  note(message: string): void {
    this.log("info", message);
  }

  warn(message: string): void {
    this.log("warn", message);
  }

  /**
   * Writes a line to stderr.
   * @param fields More fields for the line with `--json`.
   * @param text The text for a person.
   */
  log(level: Level, message: string, fields: object = {}, text = message): void {
    if (!this.json) {
      const prefix = level === "info" || level === "debug" ? "" : "Warning: ";
      this.writeError(`${prefix}${escapeControls(text)}\n`);
      return;
    }
    const { installationId } = this;
    const line = { time: new Date(), level, message: escapeControls(message), installationId, ...fields };
    const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
    this.writeError(`${JSON.stringify(line, plain)}\n`);
  }

  /** Writes to stderr, above the line that `draw` has drawn. */
  writeError(text: string): void {
    const drawn = this.#drawn;
    this.#stderr(drawn === "" ? this.#clean(text) : `${CLEAR_LINE}${this.#clean(text)}${drawn}`);
  }

  /** Draws a line over the previous one on the terminal, cut to the terminal's width; "" removes the line. */
  draw(line: string): void {
    if (line === "" && this.#drawn === "") return;
    this.#drawn = [...line].slice(0, (columnsOf(process.stderr) ?? 80) - 1).join("");
    this.#stderr(`${CLEAR_LINE}${this.#drawn}`);
  }

  /** Keeps a key out of everything that is written. */
  addSecret(secret: string): void {
    if (secret !== "") this.#secrets.push(...secretsIn(secret));
  }

  #clean(text: string): string {
    return redactSecrets(text, this.#secrets).replace(OBEYED, escapeControls);
  }
}
