import type { SnapshotCollection } from "../collections.js";
import type { EncodedRecord, RecordObserver } from "../encoding/record-observer.js";
import { PROFILES } from "../generated/profiles.js";
import { IdHash, viewOf } from "../ids/id-hash.js";
import { IdTable } from "../ids/id-table.js";
import { ProfileCounter } from "../ids/profile-counter.js";
import { EMPTY_PROFILE, type SnapshotProfile } from "../ids/snapshot-profile.js";
import { putLine } from "../ledger/id-lines.js";

const PIECE_BYTES = 64 * 1024;

export interface SnapshotIdsOptions {
  /** The collection whose fields are counted. */
  readonly profiled: SnapshotCollection | undefined;
  readonly write: ((lines: Uint8Array) => void) | undefined;
  readonly keyOf: ((id: Uint8Array) => Uint8Array) | undefined;
  /** Names a record of the snapshot, for messages. @default its index */
  readonly placeOf?: ((index: number) => string) | undefined;
  /** Whether the ids are known to differ: then they are written, and not collected. @default false */
  readonly areDistinct?: boolean | undefined;
}

const NEW = { isNew: true };
const KNOWN = { isNew: false };

/** Collects the ids of a snapshot while it is written, as hashes in memory and as lines for a ledger, and its profile. */
export class SnapshotIds implements RecordObserver {
  readonly table = new IdTable();
  readonly #options: SnapshotIdsOptions;
  readonly #profile: ProfileCounter | undefined;
  readonly #hash = new IdHash();
  /** Lines that were not written yet; the first record makes room for them. */
  #piece: Uint8Array = new Uint8Array();
  #pieceView = viewOf(this.#piece);
  /** The buffer of the last record and a view of it: most records share the buffer of the previous one. */
  #buffer: Uint8Array = new Uint8Array();
  #view = viewOf(this.#buffer);
  #filled = 0;
  #duplicates = 0;

  constructor(options: SnapshotIdsOptions) {
    this.#options = options;
    const { profiled } = options;
    this.#profile = profiled && new ProfileCounter(PROFILES[profiled]);
  }

  get duplicates(): number {
    return this.#duplicates;
  }

  /** Returns what the records hold. Of records with one id and the same contents, one is counted. */
  profile(): SnapshotProfile {
    return this.#profile?.profile() ?? EMPTY_PROFILE;
  }

  observe(encoded: EncodedRecord): string | undefined {
    const lineEnd = this.#hashId(encoded);
    if (this.#options.areDistinct !== true) {
      const { isNew, expected } = this.#add(encoded, this.#hash.low, this.#hash.high);
      if (!isNew) return expected;
    }
    this.#filled = lineEnd + 1;
    return undefined;
  }

  /**
   * Collects the ids of records that are known together, which is faster, and writes no lines.
   * @param refuse Called for each record that must not be sent.
   */
  observeGroup(
    records: readonly EncodedRecord[],
    refuse: (record: EncodedRecord, expected: string) => void,
  ): void {
    const hashes = new Int32Array(2 * records.length);
    records.forEach((record, i) => {
      this.#hashId(record);
      hashes[2 * i] = this.#hash.low;
      hashes[2 * i + 1] = this.#hash.high;
    });
    this.table.warm(hashes);
    records.forEach((record, i) => {
      const { expected } = this.#add(record, hashes[2 * i] ?? 0, hashes[2 * i + 1] ?? 0);
      if (expected !== undefined) refuse(record, expected);
    });
  }

  flush(): void {
    if (this.#filled > 0) this.#options.write?.(this.#piece.subarray(0, this.#filled));
    this.#newPiece(0);
  }

  /** Puts the line of an id behind those that were kept, and hashes it. Returns its end. */
  #hashId({ buffer, idStart, idEnd }: EncodedRecord): number {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#view = viewOf(buffer);
    }
    const end = this.#put(idStart, idEnd);
    if (this.#options.areDistinct !== true) this.#hash.id(this.#pieceView, this.#filled, end);
    return end;
  }

  #add(encoded: EncodedRecord, low: number, high: number): { isNew: boolean; expected?: string } {
    const { start, end, index } = encoded;
    const contents = this.#hash.contents(this.#view, start, end);
    const first = this.table.add(low, high, contents, index);
    if (first === -1) {
      this.#profile?.add(this.#view, encoded);
      return NEW;
    }
    if (this.table.contentsOf(low, high) === contents) {
      this.#duplicates += 1;
      return KNOWN;
    }
    const place = this.#options.placeOf?.(first) ?? `index ${first}`;
    const expected = `an id that no other record of the snapshot has: the record at ${place} has the same id and different contents`;
    return { isNew: false, expected };
  }

  #put(idStart: number, idEnd: number): number {
    const { keyOf } = this.#options;
    if (keyOf === undefined) return this.#putLine(this.#view, idStart, idEnd);
    const key = keyOf(this.#buffer.subarray(idStart, idEnd));
    return this.#putLine(viewOf(key), 0, key.length);
  }

  #putLine(bytes: DataView, start: number, end: number): number {
    const room = 2 * (end - start) + 1;
    if (this.#filled + room > this.#piece.length) {
      this.flush();
      // An id longer than a piece gets one of its own.
      this.#newPiece(Math.max(room, PIECE_BYTES));
    }
    return putLine(this.#pieceView, this.#filled, bytes, start, end);
  }

  #newPiece(bytes: number): void {
    this.#piece = Buffer.allocUnsafeSlow(bytes);
    this.#pieceView = viewOf(this.#piece);
    this.#filled = 0;
  }
}
