import { raceAbort } from "../../core/abort.js";
import { COLLECTIONS, type Collection } from "../collections.js";
import { afterVarint, varintAt } from "../encoding/byte-writer.js";
import { OFFLINE } from "../run/offline.js";
import type { CallContext, SyncTransport } from "../transport.js";
import type { SegmentSummary } from "./segment-reader.js";
import type { SegmentWriter } from "./segment-writer.js";

/** Stands in for the id of the batch that will send the records. Reserves 64 bytes for it in each message. */
const PLACEHOLDER_ID = "-".repeat(64);

const COLLECTION_AT: ReadonlyMap<string, Collection> = new Map(
  Object.values(COLLECTIONS).map(({ path, name }) => [path.join(), name]),
);

/** Puts the records of messages into segments, one for each collection, in place of sending them. */
export class SegmentTransport implements SyncTransport {
  readonly completeBatch = OFFLINE.completeBatch;
  readonly abortBatch = OFFLINE.abortBatch;
  readonly close = OFFLINE.close;
  readonly #open: (collection: Collection) => SegmentWriter;
  readonly #segments = new Map<Collection, SegmentWriter>();

  constructor(open: (collection: Collection) => SegmentWriter) {
    this.#open = open;
  }

  async startBatch(): Promise<{ readonly batchId: string }> {
    return { batchId: PLACEHOLDER_ID };
  }

  async syncRecords(messages: readonly Uint8Array[], { signal }: CallContext) {
    for (const message of messages) {
      const { collection, start } = placeOf(message);
      const segment = this.#segments.get(collection) ?? this.#open(collection);
      this.#segments.set(collection, segment);
      if (start < message.length) await raceAbort(segment.push(message.subarray(start)), signal);
    }
    return { accepted: undefined };
  }

  /** Stores the segments: everything was written. */
  async seal(): Promise<ReadonlyMap<Collection, SegmentSummary>> {
    const sealed = [...this.#segments].map(async ([name, segment]) => [name, await segment.seal()] as const);
    return new Map(await Promise.all(sealed));
  }

  /** Gives all segments up; nothing of those that were not sealed is stored. */
  async drop(error: unknown): Promise<void> {
    await Promise.all([...this.#segments.values()].map((segment) => segment.drop(error)));
  }
}

/** Finds the collection of a message, and where its records begin: behind the batch id and the tags above them. */
function placeOf(message: Uint8Array): { readonly collection: Collection; readonly start: number } {
  const idLength = afterVarint(message, 0);
  let at = afterVarint(message, idLength) + varintAt(message, idLength);
  const path: number[] = [];
  for (;;) {
    path.push(varintAt(message, at) >>> 3);
    at = afterVarint(message, afterVarint(message, at));
    const collection = COLLECTION_AT.get(path.join());
    if (collection !== undefined) return { collection, start: at };
    if (at >= message.length) throw new Error("A message has no collection.");
  }
}
