import { SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import type { Operation } from "./faults.js";
import { readMessage, type SentMessage } from "./messages.js";
import type { Observation } from "./observation.js";
import type { Program } from "./program.js";
import type { SimClock } from "./sim-clock.js";

/** The service accepts only messages below this size. */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/** A stream of records as its client sees it. */
export interface SentStream {
  readonly batchId: string;
  readonly messages: readonly SentMessage[];
  /** Number of records in all messages. */
  readonly records: number;
  /** Call this when the service has permanently refused the stream. */
  refused(): void;
  /** Call this when the client is told that the whole stream was accepted. */
  accepted(): void;
  /** Call this when the client believes that the stream has ended. */
  ended(): void;
}

/** A stream of a batch, from the call to its end, in milliseconds of the simulation's clock. */
export interface StreamTimes {
  readonly begun: number;
  ended: number;
  /** The tick at which the stream ended. */
  endedAt: number;
  /** Whether the client was told that the whole stream was accepted. */
  accepted: boolean;
}

/** A call of a client, with its tick. */
export interface Call {
  readonly operation: Operation;
  readonly batchId: string | undefined;
  readonly at: number;
}

/** Watches what a client sends. */
export class Conduct {
  /** The violations so far. */
  readonly misdeeds: string[] = [];
  /** The streams of each batch. */
  readonly streams = new Map<string, StreamTimes[]>();
  /** Batches that the service has permanently refused. */
  readonly refusedBatches = new Set<string>();
  /** Every call, in order. */
  readonly calls: Call[] = [];
  /** Batches that turned out to be completed when the client tried to abort them. */
  readonly foundCompleted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #sent = new Map<string, Set<string>>();
  readonly #accepted = new Set<string>();
  readonly #clock: SimClock;
  readonly #observation: Observation;
  readonly #limitBytes: number;

  /** @param options.limitBytes Every message must be smaller than this. */
  constructor(clock: SimClock, observation: Observation, { limitBytes }: Pick<Program, "limitBytes">) {
    this.#clock = clock;
    this.#observation = observation;
    this.#limitBytes = limitBytes ?? MESSAGE_LIMIT_BYTES;
  }

  call(operation: Operation, batchId?: string): void {
    this.calls.push({ operation, batchId, at: this.#observation.tick() });
  }

  /**
   * Notes that a stream is opened.
   * @param signal Cancels the stream, which then counts as ended even if parts of it are still under way.
   */
  stream(encoded: readonly Uint8Array[], signal: AbortSignal): SentStream {
    // Copied, because later changes to the sender's memory must not affect a message that was sent.
    const messages = encoded.map((bytes) => readMessage(SyncRecordsRequest.decode(bytes.slice())));
    const [first] = messages;
    const batchId = first?.batchId ?? "";
    this.call("SyncRecords", batchId);
    const label = first?.message.labels[0];
    const what = `${batchId} ${label}`;
    if (encoded.some(({ length }) => length >= this.#limitBytes)) this.misdeeds.push(`${what}: too large`);
    // Windows without records are all alike, so two of them don't count as a repetition.
    if (label !== undefined && this.#refused.has(what))
      this.misdeeds.push(`${what}: sent again after it was refused for good`);
    const marks = messages.flatMap(marksOf);
    const again = marks.filter((mark) => this.#accepted.has(mark) && !isEmpty(mark));
    if (again.length > 0) this.misdeeds.push(`${again.join(", ")}: sent again after it was accepted`);
    const open = this.#openStreams(batchId);
    if (open > 0) this.misdeeds.push(`${what}: ${open + 1} streams of one batch at the same time`);
    const sent = this.#sent.get(batchId) ?? new Set();
    this.#sent.set(batchId, sent);
    for (const mark of marks) sent.add(mark);
    const times: StreamTimes = {
      begun: this.#clock.monotonic(),
      ended: Number.POSITIVE_INFINITY,
      endedAt: Number.POSITIVE_INFINITY,
      accepted: false,
    };
    const ended = () => {
      times.ended = Math.min(times.ended, this.#clock.monotonic());
      times.endedAt = Math.min(times.endedAt, this.#observation.tick());
      signal.removeEventListener("abort", ended);
    };
    signal.addEventListener("abort", ended);
    this.streams.set(batchId, [...(this.streams.get(batchId) ?? []), times]);
    const records = messages.reduce((sum, { message }) => sum + message.keys.length, 0);
    return {
      batchId,
      messages,
      records,
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

  /** Notes the call that completes a batch. Only an abort may cut off a stream. */
  complete(batchId: string): void {
    this.call("CompleteSyncBatch", batchId);
    const open = this.#openStreams(batchId);
    if (open > 0) this.misdeeds.push(`${batchId}: completed while ${open} streams of it were open`);
    const missing = [...(this.#sent.get(batchId) ?? [])].filter((mark) => !this.#accepted.has(mark));
    if (missing.length > 0)
      this.misdeeds.push(`${batchId}: completed, and nobody has accepted ${missing.join(", ")}`);
  }

  #openStreams(batchId: string): number {
    return (this.streams.get(batchId) ?? []).filter(({ ended }) => !Number.isFinite(ended)).length;
  }
}

const EMPTY = "without records";

/** Names of a message's records. An event's name doesn't contain the batch, because an event is sent just once. */
function marksOf({ batchId, message: { collection, labels, model } }: SentMessage): string[] {
  if (labels.length === 0) return model === "event" ? [] : [`${batchId} ${collection} ${EMPTY}`];
  return labels.map((label) => (model === "event" ? label : `${batchId} ${label}`));
}

function isEmpty(mark: string): boolean {
  return mark.endsWith(EMPTY);
}
