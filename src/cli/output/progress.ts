import type { Clock } from "../../core/clock.js";
import type { SyncProgress } from "../../sync/progress.js";
import type { Io } from "../io.js";

type Shown = Pick<Io, "isTerminal" | "note" | "writeError">;

const REDRAW_MS = 500;
const LINE_MS = 10_000;
const CLEAR_LINE = "\r\u001b[2K";

/** Shows how a run gets on: a line that is drawn again on a terminal, a line every 10 s elsewhere. */
export class ProgressLine {
  readonly #io: Shown;
  readonly #clock: Clock;
  readonly #begunAt: number;
  #phase: "extracting" | "sending" = "extracting";
  /** Of each collection, in the phase. */
  readonly #records = new Map<string, number>();
  readonly #bytes = new Map<string, number>();
  #state = "starting";
  #stop = () => {};

  constructor(io: Shown, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
    if (io.isTerminal) this.#draw();
    this.#wait();
  }

  readonly onProgress = (event: SyncProgress): void => {
    this.#state = stateAfter(event) ?? this.#state;
    if (event.type !== "extracting" && event.type !== "sending") return;
    if (event.type !== this.#phase || event.collection === undefined) {
      this.#phase = event.type === "sending" ? "sending" : "extracting";
      this.#records.clear();
      this.#bytes.clear();
    }
    this.#records.set(event.collection ?? "", event.records);
    this.#bytes.set(event.collection ?? "", event.bytes);
  };

  end(): void {
    this.#stop();
    if (this.#io.isTerminal) this.#io.writeError(CLEAR_LINE);
  }

  #wait(): void {
    const { isTerminal } = this.#io;
    this.#stop = this.#clock.after(isTerminal ? REDRAW_MS : LINE_MS, () => {
      if (isTerminal) this.#draw();
      else this.#io.note(this.#text());
      this.#wait();
    });
  }

  #draw(): void {
    this.#io.writeError(`${CLEAR_LINE}${this.#text()}`);
  }

  #text(): string {
    const seconds = (this.#clock.monotonic() - this.#begunAt) / 1000;
    const records = sumOf(this.#records);
    return [
      this.#state,
      `${count(records)} records`,
      `${(sumOf(this.#bytes) / 1e6).toFixed(1)} MB`,
      `${count(seconds > 0 ? records / seconds : 0)}/s`,
      `${count(seconds)} s`,
    ].join(", ");
  }
}

function stateAfter(event: SyncProgress): string | undefined {
  switch (event.type) {
    case "extracting":
      return `reading ${event.collection ?? ""}`.trim();
    case "sending":
      return event.total === undefined ? "sending" : `sending ${event.collection}, of ${count(event.total)}`;
    case "restarted":
      return `batch ${event.attempt}`;
    case "retry":
      return `${event.operation} is tried again`;
    case "waiting-for-lock":
      return "waiting for the lock of another batch";
    case "judged":
      return `${event.collection} ${event.held ? "held" : "checked"}`;
    default:
      return undefined;
  }
}

function sumOf(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

function count(value: number): string {
  return Math.floor(value).toLocaleString("en-US");
}
