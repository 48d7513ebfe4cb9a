/** Finds dangling references: fields that hold the id of a record that the run does not write. */
import { COLLECTIONS, type Collection, type SnapshotCollection } from "../../sync/collections.js";
import { BYTES_PER_UNIT } from "../../sync/encoding/byte-writer.js";
import type { EncodedRecord } from "../../sync/encoding/record-inspector.js";
import { IdHash, viewOf } from "../../sync/ids/id-hash.js";
import { IdTable } from "../../sync/ids/id-table.js";

const REFERENCED: ReadonlySet<SnapshotCollection> = new Set(
  Object.values(COLLECTIONS).flatMap(({ references }) => Object.values(references).flat()),
);

type Hash = Pick<IdHash, "low" | "high">;

/** The ids of records that others may refer to, as hashes: about 25 bytes per id. */
export class ReferencedIds {
  readonly #tables: ReadonlyMap<Collection, IdTable>;
  readonly #hash = new IdHash();
  #text = Buffer.alloc(256);

  constructor(declared: readonly SnapshotCollection[]) {
    const searched = declared.filter((name) => REFERENCED.has(name));
    this.#tables = new Map(searched.map((name) => [name, new IdTable()]));
  }

  covers(collection: SnapshotCollection): boolean {
    return this.#tables.has(collection);
  }

  add(collection: Collection, { buffer, idStart, idEnd }: EncodedRecord): void {
    const table = this.#tables.get(collection);
    if (table === undefined) return;
    this.#hash.id(viewOf(buffer), idStart, idEnd);
    table.add(this.#hash.low, this.#hash.high, 0, 0);
  }

  addId(collection: Collection, id: string): void {
    const { low, high } = this.hashOf(id);
    this.#tables.get(collection)?.add(low, high, 0, 0);
  }

  has(collections: readonly SnapshotCollection[], { low, high }: Hash): boolean {
    return collections.some((collection) => this.#tables.get(collection)?.has(low, high) === true);
  }

  /** The hash is valid until the next call. */
  hashOf(id: string): Hash {
    const maxBytes = BYTES_PER_UNIT * id.length;
    if (maxBytes > this.#text.length) this.#text = Buffer.alloc(maxBytes);
    this.#hash.id(viewOf(this.#text), 0, this.#text.write(id));
    return this.#hash;
  }
}

export function referenceChecks(collection: Collection, ids: ReferencedIds): readonly ReferenceCheck[] {
  const references = Object.entries(COLLECTIONS[collection].references);
  return references.map(([field, to]) => new ReferenceCheck(field, to, ids));
}

/**
 * Checks the references in one field.
 *
 * A record may be written after those that refer to it. Until then, their references are kept as hashes, about 35 bytes
 * for each different id. Nothing is kept if accounts, for example, are written before the licenses that refer to them.
 */
export class ReferenceCheck {
  readonly field: string;
  readonly #ids: ReferencedIds;
  readonly #searched: readonly SnapshotCollection[];
  /** Maps each missing id to its index in the list below. */
  readonly #waiting = new IdTable();
  readonly #records: number[] = [];

  constructor(field: string, to: readonly SnapshotCollection[], ids: ReferencedIds) {
    this.field = field;
    this.#ids = ids;
    this.#searched = to.filter((collection) => ids.covers(collection));
  }

  add(id: string): void {
    if (this.#searched.length === 0) return;
    const hash = this.#ids.hashOf(id);
    if (this.#ids.has(this.#searched, hash)) return;
    const next = this.#waiting.size;
    const before = this.#waiting.add(hash.low, hash.high, 0, next);
    const number = before === -1 ? next : before;
    this.#records[number] = (this.#records[number] ?? 0) + 1;
  }

  get dangling(): number {
    let dangling = 0;
    this.#waiting.forEach((low, high) => {
      if (this.#ids.has(this.#searched, { low, high })) return;
      // For an id in the table, `add` changes nothing and returns its number.
      dangling += this.#records[this.#waiting.add(low, high, 0, 0)] ?? 0;
    });
    return dangling;
  }
}
