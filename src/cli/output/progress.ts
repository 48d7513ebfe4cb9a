import type { Clock } from "../../core/clock.js";
import type { SyncProgress } from "../../sync/progress.js";
import type { RunBatch } from "../../sync/run/declared-batch.js";
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
  #batch: RunBatch | undefined;
  #state = "starting";
  #stop = () => {};

  constructor(io: Shown, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
    if (io.isTerminal) this.#draw();
    this.#wait();
  }

  /** The batch of an attempt. */
  watch(batch: RunBatch): void {
    this.#batch = batch;
  }

  readonly onProgress = (event: SyncProgress): void => {
    this.#state = stateAfter(event) ?? this.#state;
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
    const stats = Object.values(this.#batch?.stats ?? {});
    const sum = (name: "accepted" | "bytes" | "windows" | "retries") =>
      stats.reduce((total, one) => total + one[name], 0);
    const records = sum("accepted");
    const parts = [
      this.#state,
      `${count(records)} records`,
      `${(sum("bytes") / 1e6).toFixed(1)} MB`,
      `${count(seconds > 0 ? records / seconds : 0)}/s`,
      `${count(sum("windows"))} windows`,
      `${count(sum("retries"))} retries`,
      `${count(seconds)} s`,
    ];
    const lease = this.#batch?.lease.remainingMs;
    return [...parts, ...(lease === undefined ? [] : [`lease ${count(lease / 60_000)} min`])].join(", ");
  }
}

function stateAfter(event: SyncProgress): string | undefined {
  switch (event.type) {
    case "started":
      return "reading";
    case "restarted":
      return `attempt ${event.attempt}`;
    case "progress":
      return event.collection ?? "sending";
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

function count(value: number): string {
  return Math.floor(value).toLocaleString("en-US");
}
