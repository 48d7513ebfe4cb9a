import { SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { readMessage, type SentMessage } from "./messages.js";

/** The service takes smaller messages only. */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/** A stream of records as its client sees it. */
export interface SentStream {
  readonly batchId: string;
  readonly messages: readonly SentMessage[];
  /** Number of records in all messages. */
  readonly records: number;
  /** The service said no, and will do so again. */
  refused(): void;
  /** The client was told that all of it was accepted. */
  accepted(): void;
  /** The client takes it for ended. */
  ended(): void;
}

/** A stream of a batch, from the call to its end, in milliseconds of the simulation's clock. */
export interface StreamTimes {
  readonly begun: number;
  ended: number;
  /** Whether the client was told that all of it was accepted. */
  accepted: boolean;
}

/** Looks on at what a client sends. */
export class Conduct {
  /** What it must not do, and did. */
  readonly misdeeds: string[] = [];
  /** The streams of each batch. */
  readonly streams = new Map<string, StreamTimes[]>();
  /** Batches that the service said no to for good. */
  readonly refusedBatches = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #accepted = new Set<string>();
  readonly #now: () => number;
  readonly #limitBytes: number;

  /** @param limitBytes Messages have to be smaller. */
  constructor(now: () => number, limitBytes = MESSAGE_LIMIT_BYTES) {
    this.#now = now;
    this.#limitBytes = limitBytes;
  }

  /**
   * A stream is opened.
   * @param signal Cancels it: it has ended then, whatever is still under way of it.
   */
  stream(encoded: readonly Uint8Array[], signal: AbortSignal): SentStream {
    // What is on its way is on its way: later changes to the sender's memory must not reach it.
    const messages = encoded.map((bytes) => readMessage(SyncRecordsRequest.decode(bytes.slice())));
    const [first] = messages;
    const batchId = first?.batchId ?? "";
    const label = first?.message.labels[0];
    const what = `${batchId} ${label}`;
    if (encoded.some(({ length }) => length >= this.#limitBytes)) this.misdeeds.push(`${what}: too large`);
    // Windows without a record are all alike: two of them are no repetition.
    if (label !== undefined && this.#refused.has(what))
      this.misdeeds.push(`${what}: sent again after it was refused for good`);
    const marks = messages.flatMap(marksOf);
    const again = marks.filter((mark) => this.#accepted.has(mark));
    if (again.length > 0) this.misdeeds.push(`${again.join(", ")}: sent again after it was accepted`);
    const open = this.#openStreams(batchId);
    if (open > 0) this.misdeeds.push(`${what}: ${open + 1} streams of one batch at the same time`);
    const times: StreamTimes = { begun: this.#now(), ended: Number.POSITIVE_INFINITY, accepted: false };
    const ended = () => {
      times.ended = Math.min(times.ended, this.#now());
      signal.removeEventListener("abort", ended);
    };
    signal.addEventListener("abort", ended);
    this.streams.set(batchId, [...(this.streams.get(batchId) ?? []), times]);
    return {
      batchId,
      messages,
      records: messages.reduce((sum, { message }) => sum + message.keys.length, 0),
      refused: () => {
        this.#refused.add(what);
        this.refusedBatches.add(batchId);
      },
      accepted: () => {
        times.accepted = true;
        for (const mark of marks) this.#accepted.add(mark);
      },
      ended,
    };
  }

  /** A batch is to be completed. An abort may cut a stream off. */
  complete(batchId: string): void {
    const open = this.#openStreams(batchId);
    if (open > 0) this.misdeeds.push(`${batchId}: completed while ${open} streams of it were open`);
  }

  #openStreams(batchId: string): number {
    return (this.streams.get(batchId) ?? []).filter(({ ended }) => !Number.isFinite(ended)).length;
  }
}

/** Names of the records of a message: snapshots go to each batch anew, events to the service once. */
function marksOf({ batchId, message: { labels, model } }: SentMessage): string[] {
  return labels.map((label) => (model === "event" ? label : `${batchId} ${label}`));
}
