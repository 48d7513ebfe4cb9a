import type { Clock } from "../../core/clock.js";
import { ConfigurationError } from "../../core/errors/index.js";
import { forEachRecord } from "../encoding/encoded-records.js";
import type { Store } from "../ledger/store.js";
import { quote } from "./partitions.js";
import { SegmentHash } from "./segment-hash.js";
import {
  FORMAT,
  LENGTH_BYTES,
  readToken,
  type SegmentHeader,
  type SegmentSummary,
  VERSION,
} from "./segment-reader.js";

/** Another extraction has sealed the partition. */
export class SegmentTaken extends Error {}

interface Offer {
  readonly records: Uint8Array;
  readonly taken: () => void;
  readonly refused: (error: unknown) => void;
}

/** Writes one segment to the store while its records come, no faster than the store takes them. */
export class SegmentWriter {
  readonly #clock: Clock;
  readonly #readFrom: number;
  readonly #stored: Promise<SegmentSummary>;
  #offer: Offer | undefined;
  #wake = () => {};
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #summary: SegmentSummary | undefined;

  constructor(store: Store, key: string, header: SegmentHeader, clock: Clock) {
    this.#clock = clock;
    this.#readFrom = clock.now();
    this.#stored = this.#put(store, key, header);
    this.#stored.catch((error: unknown) => this.#fail(error));
  }

  /** Adds the records of a message. Resolves when the store has taken them: then they may be overwritten. */
  push(records: Uint8Array): Promise<void> {
    return new Promise((taken, refused) => {
      if (this.#failure !== undefined) return refused(this.#failure.error);
      this.#offer = { records, taken, refused };
      this.#wake();
    });
  }

  /**
   * Stores the segment: all records have come.
   * @returns what it contains
   * @throws {SegmentTaken} there is another one
   * @throws {ConfigurationError} the store failed
   */
  seal(): Promise<SegmentSummary> {
    this.#isOver = true;
    this.#wake();
    return this.#stored;
  }

  /** Gives the segment up: nothing of it is stored. Resolves when the store has let go of it. */
  async drop(error: unknown): Promise<void> {
    this.#fail(error);
    await this.#stored.catch(() => {});
  }

  async #put(store: Store, key: string, header: SegmentHeader): Promise<SegmentSummary> {
    let isNew: unknown;
    let cause: unknown;
    try {
      isNew = await store.putIfAbsent(key, this.#value(header));
    } catch (error) {
      cause = error;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    const summary = this.#summary;
    if (isNew === true && summary !== undefined) return summary;
    // The answer of a store may be lost.
    const stored = await store
      .get(key)
      .then(readToken)
      .catch(() => undefined);
    if (stored === header.token && summary !== undefined) return summary;
    if (stored !== undefined) throw new SegmentTaken();
    throw unstored(header, cause);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#offer?.refused(this.#failure.error);
    this.#offer = undefined;
    this.#wake();
  }

  async *#value(header: SegmentHeader): AsyncGenerator<Uint8Array, void, undefined> {
    let [records, bytes] = [0, 0];
    const head = lineOf({ format: FORMAT, version: VERSION, ...header });
    const hash = new SegmentHash(head);
    yield head;
    for await (const frame of this.#frames()) {
      const hashed = hash.add(frame);
      bytes += frame.length;
      forEachRecord({ bytes: frame, recordsStart: 0 }, () => {
        records += 1;
      });
      yield lengthOf(frame);
      yield frame;
      await hashed;
    }
    yield lengthOf(new Uint8Array());
    const sha256 = await hash.digest();
    const summary = { records, bytes, sha256, readFrom: this.#readFrom, readUntil: this.#clock.now() };
    yield lineOf(summary);
    this.#summary = summary;
  }

  async *#frames(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const offer = this.#offer;
      if (offer !== undefined) {
        yield offer.records;
        // The store asks for more, so it has taken or copied them.
        if (this.#offer === offer) this.#offer = undefined;
        offer.taken();
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

function lengthOf(frame: Uint8Array): Uint8Array {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(frame.length);
  return length;
}

function unstored({ collection, partition }: SegmentHeader, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `The staging could not store the partition ${quote(partition)} of ${collection}; nothing of it is kept. See the error's cause, and extract the partition again. For a fileStaging, check its directory and the free disk space.`,
    { cause },
  );
}

function lineOf(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
