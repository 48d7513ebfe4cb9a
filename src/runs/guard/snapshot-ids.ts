import { afterVarint } from "../../sync/encoding/byte-writer.js";
import type { RecordBlock } from "../../sync/encoding/record-block.js";
import type { BlockRefusal, EncodedRecord, RecordInspector } from "../../sync/encoding/record-inspector.js";
import type { FieldSampler } from "../../sync/ids/field-sample.js";
import { IdHash, viewOf } from "../../sync/ids/id-hash.js";
import { IdTable } from "../../sync/ids/id-table.js";
import { HASH_CHARACTERS } from "../ledger/collection-ledger.js";
import { putLine } from "../ledger/id-lines.js";

/** Most snapshots are small. */
const FIRST_PIECE_BYTES = 16 * 1024;
const PIECE_BYTES = 128 * 1024;

export interface SnapshotIdsOptions {
  /** Samples the fields of the records. */
  readonly sampler: FieldSampler | undefined;
  /** Stores lines, and calls `done` once their bytes may be reused. */
  readonly write: ((lines: Uint8Array, done: () => void) => void) | undefined;
  readonly keyOf: ((id: Uint8Array) => Uint8Array) | undefined;
}

/** Positions of a record: its start and end, and those of its id. */
const PLACES = 4;

const NEW = { isNew: true };
const KNOWN = { isNew: false };

/**
 * Collects the ids of a snapshot and samples its fields, while the snapshot is written. The ids become hashes in
 * memory, and lines for a ledger.
 */
export class SnapshotIds implements RecordInspector {
  readonly table = new IdTable();
  /** Number of records that were repeated. */
  duplicates = 0;
  readonly #options: SnapshotIdsOptions;
  readonly #sampler: FieldSampler | undefined;
  readonly #hash = new IdHash();
  /** Lines not yet written; the first record allocates space for them. */
  #piece: Uint8Array = new Uint8Array();
  #pieceView = viewOf(this.#piece);
  /** Pieces that were written and can be reused. */
  readonly #free: Uint8Array[] = [];
  /** The buffer of the last record and a view of it: most records share the buffer of the previous one. */
  #buffer: Uint8Array = new Uint8Array();
  #view = viewOf(this.#buffer);
  #filled = 0;
  /** Reused for each group of records, because allocating outside the heap triggers full garbage collections. */
  #hashes: Int32Array = new Int32Array();
  #lines: Int32Array = new Int32Array();
  #places: Int32Array = new Int32Array();

  constructor(options: SnapshotIdsOptions) {
    this.#options = options;
    this.#sampler = options.sampler;
  }

  has(id: Uint8Array): boolean {
    const key = this.#options.keyOf?.(id) ?? id;
    const line = viewOf(new Uint8Array(lineRoom(key.length)));
    this.#hash.id(line, 0, putLine(line, 0, viewOf(key), 0, key.length));
    return this.table.has(this.#hash.low, this.#hash.high);
  }

  expect(records: number): void {
    this.table.expect(records);
  }

  inspect(encoded: EncodedRecord): string | undefined {
    this.#places = withRoom(this.#places, PLACES);
    this.#place(0, encoded);
    return this.#collect(encoded, 1)?.expected;
  }

  /** Whether a table has the id of the last inspected record. */
  isLastIn(table: IdTable): boolean {
    return table.has(this.#hashes[0] ?? 0, this.#hashes[1] ?? 0);
  }

  /** Looks up the ids of a block together, which is faster because the memory serves many lookups in parallel. */
  inspectBlock(
    record: EncodedRecord,
    buffer: Uint8Array,
    { starts, records }: Pick<RecordBlock, "starts" | "records">,
    index: number,
  ): BlockRefusal | undefined {
    this.#places = withRoom(this.#places, PLACES * records);
    for (let i = 0; i < records; i += 1) {
      const start = afterVarint(buffer, afterVarint(buffer, starts[i] ?? 0));
      this.#place(i, record.moveTo(buffer, start, starts[i + 1] ?? 0, index + i));
    }
    record.index = index;
    return this.#collect(record, records);
  }

  #place(i: number, { start, end, idStart, idEnd }: EncodedRecord): void {
    const at = PLACES * i;
    this.#places[at] = start;
    this.#places[at + 1] = end;
    this.#places[at + 2] = idStart;
    this.#places[at + 3] = idEnd;
  }

  /**
   * Writes a line for each record whose position was noted, and looks up the ids.
   * @param record Has the index of the first record.
   */
  #collect(record: EncodedRecord, records: number): BlockRefusal | undefined {
    const { index } = record;
    const places = this.#places;
    this.#look(record.buffer);
    let room = 0;
    for (let i = 0; i < records; i += 1)
      room += lineRoom((places[PLACES * i + 3] ?? 0) - (places[PLACES * i + 2] ?? 0));
    this.#reserve(room);
    this.#lines = withRoom(this.#lines, records + 1);
    this.#hashes = withRoom(this.#hashes, 2 * records);
    const lines = this.#lines;
    const hashes = this.#hashes;
    let at = this.#filled;
    for (let i = 0; i < records; i += 1) {
      const end = this.#put(at, places[PLACES * i + 2] ?? 0, places[PLACES * i + 3] ?? 0);
      this.#hash.id(this.#pieceView, at, end);
      hashes[2 * i] = this.#hash.low;
      hashes[2 * i + 1] = this.#hash.high;
      lines[i] = at;
      at = end + 1;
    }
    lines[records] = at;
    this.table.warm(hashes, records);
    for (let i = 0; i < records; i += 1) {
      record.start = places[PLACES * i] ?? 0;
      record.end = places[PLACES * i + 1] ?? 0;
      record.idStart = places[PLACES * i + 2] ?? 0;
      record.idEnd = places[PLACES * i + 3] ?? 0;
      record.index = index + i;
      const { isNew, expected } = this.#add(record, hashes[2 * i] ?? 0, hashes[2 * i + 1] ?? 0);
      if (expected !== undefined) return { record: i, expected };
      if (!isNew) continue;
      const start = lines[i] ?? 0;
      const end = lines[i + 1] ?? 0;
      if (start !== this.#filled) this.#piece.copyWithin(this.#filled, start, end);
      this.#filled += end - start;
    }
    return undefined;
  }

  flush(): void {
    const piece = this.#piece;
    const done = () => {
      if (piece.length === PIECE_BYTES) this.#free.push(piece);
    };
    if (this.#filled > 0) this.#options.write?.(piece.subarray(0, this.#filled), done);
    this.#newPiece(0);
  }

  #add(encoded: EncodedRecord, low: number, high: number): { isNew: boolean; expected?: string } {
    const { start, end, index } = encoded;
    const contents = this.#hash.contents(this.#view, start, end);
    const first = this.table.add(low, high, contents, index);
    if (first === -1) {
      this.#sampler?.add(this.#view, encoded);
      return NEW;
    }
    if (this.table.contentsOf(low, high) === contents) {
      this.duplicates += 1;
      return KNOWN;
    }
    const expected = `an id that is unique in the snapshot: the record at index ${first} has the same id and different contents`;
    return { isNew: false, expected };
  }

  #put(at: number, idStart: number, idEnd: number): number {
    const { keyOf } = this.#options;
    if (keyOf === undefined) return putLine(this.#pieceView, at, this.#view, idStart, idEnd);
    const key = keyOf(this.#buffer.subarray(idStart, idEnd));
    return putLine(this.#pieceView, at, viewOf(key), 0, key.length);
  }

  #look(buffer: Uint8Array): void {
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }

  /** Makes room for lines; an id longer than a piece gets its own piece. */
  #reserve(room: number): void {
    if (this.#filled + room <= this.#piece.length) return;
    const least = this.#piece.length === 0 ? FIRST_PIECE_BYTES : PIECE_BYTES;
    this.flush();
    this.#newPiece(Math.max(room, least));
  }

  #newPiece(bytes: number): void {
    const free = bytes === PIECE_BYTES ? this.#free.pop() : undefined;
    this.#piece = free ?? Buffer.allocUnsafeSlow(bytes);
    this.#pieceView = viewOf(this.#piece);
    this.#filled = 0;
  }
}

function withRoom(numbers: Int32Array, count: number): Int32Array {
  return numbers.length < count ? new Int32Array(count) : numbers;
}

/** Maximum size of the line for an id of this size, or for its hash. */
function lineRoom(bytes: number): number {
  return Math.max(2 * bytes, HASH_CHARACTERS) + 1;
}
