import { type Collection, isSnapshot, type SnapshotCollection } from "../collections.js";
import type { EncodedRecords } from "../encoding/encoded-records.js";
import type { Connector } from "../run/connector.js";
import type { DeclaredBatch } from "../run/declared-batch.js";
import type { SealedRun } from "./sealed-run.js";

/** Where the records of a segment begin in their collection. */
interface Beginning {
  readonly index: number;
  readonly location: string;
}

/** Reads the records of a sealed run, as often as they are needed. */
export class StagedRecords {
  readonly #sealed: SealedRun;
  readonly #beginnings = new Map<Collection, Beginning[]>();
  readonly #verified = new Set<Collection>();

  constructor(sealed: SealedRun) {
    this.#sealed = sealed;
  }

  /**
   * Reads a collection: all its partitions, one after the other.
   * @throws {ConfigurationError} a segment is missing or damaged
   */
  async *blocks(
    collection: Collection,
    ended?: AbortSignal,
  ): AsyncGenerator<EncodedRecords, void, undefined> {
    const beginnings: Beginning[] = [];
    this.#beginnings.set(collection, beginnings);
    let index = 0;
    for (const segment of this.#sealed.segments.get(collection) ?? []) {
      let isFirst = true;
      for await (const block of segment.blocks()) {
        ended?.throwIfAborted();
        if (isFirst) beginnings.push({ index, location: block.location });
        isFirst = false;
        yield block;
      }
      index += segment.records;
    }
    this.#verified.add(collection);
  }

  /** This process has just extracted it, so it is not read before it is sent. */
  trust(collection: Collection): void {
    this.#verified.add(collection);
  }

  /** Names a record of a collection that was read so far. */
  placeOf(collection: Collection, index: number): string {
    const segment = this.#beginnings.get(collection)?.findLast((begin) => begin.index <= index);
    return segment === undefined ? `index ${index}` : `index ${index - segment.index} of ${segment.location}`;
  }

  /** Reads the collections that were not read to their ends, so that all is known to be whole. */
  async verify(ended: AbortSignal): Promise<void> {
    for (const collection of this.#sealed.segments.keys())
      if (!this.#verified.has(collection)) for await (const _ of this.blocks(collection, ended));
  }

  /** A connector that writes the records. */
  connector(): Connector<SnapshotCollection> {
    const { segments, advanced } = this.#sealed;
    return {
      snapshots: [...segments.keys()].filter(isSnapshot),
      run: async (batch: DeclaredBatch<SnapshotCollection>, { advance }) => {
        for (const collection of segments.keys()) await batch.write(collection, this.blocks(collection));
        for (const [name, value] of advanced) advance(name, value);
      },
    };
  }
}
