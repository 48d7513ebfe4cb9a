import type { Clock } from "../core/clock.js";
import type { SyncProgress } from "../sync/progress.js";
import { count, counted, describeDiff } from "../sync/report-text.js";
import type { Io } from "./io.js";

const REDRAW_MS = 500;
const LINE_MS = 10_000;

/** Shows a run's progress: one line that is redrawn on a terminal, a line every 10 s elsewhere. */
export class ProgressLine {
  readonly #io: Pick<Io, "isTerminal" | "note" | "draw">;
  readonly #clock: Clock;
  readonly #begunAt: number;
  #status = "reading";
  #stop = () => {};

  constructor(io: Pick<Io, "isTerminal" | "note" | "draw">, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
    this.begin();
  }

  begin(): void {
    if (this.#io.isTerminal) this.#tell();
    this.#wait();
  }

  readonly onProgress = (event: SyncProgress): void => {
    this.#status = statusAfter(event) ?? this.#status;
  };

  end(): void {
    this.#stop();
    this.#io.draw("");
  }

  #wait(): void {
    this.#stop = this.#clock.after(this.#io.isTerminal ? REDRAW_MS : LINE_MS, () => {
      this.#tell();
      this.#wait();
    });
  }

  #tell(): void {
    const seconds = (this.#clock.monotonic() - this.#begunAt) / 1000;
    const text = `${count(Math.floor(seconds))} s: ${this.#status}`;
    if (this.#io.isTerminal) this.#io.draw(text);
    else this.#io.note(text);
  }
}

function statusAfter(event: SyncProgress): string | undefined {
  switch (event.type) {
    case "extracting":
    case "sending": {
      const { type, collection = "", records, total, bytes } = event;
      const figures =
        total === undefined ? counted(records, "record") : `${count(records)} of ${counted(total, "record")}`;
      const size = (bytes / 1e6).toFixed(1);
      return `${type === "sending" ? "sending" : "reading"} ${collection}, ${figures}, ${size} MB`;
    }
    case "judged":
      return `${event.collection} ${event.held ? "held" : "checked"}, ${describeDiff(event.diff)}`;
    case "restarted":
      return `sending in batch ${event.attempt}`;
    case "service-away":
      return `the service is unavailable (${event.code}); retrying until ${event.until.toISOString().slice(11, 16)} UTC`;
    case "retry":
      return `retrying ${event.operation} (${event.code})`;
    case "waiting-for-lock":
      return "waiting for the lock of another batch";
    default:
      return undefined;
  }
}
