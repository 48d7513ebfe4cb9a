import type { CollectionName, SnapshotCollection } from "../collections.js";
import { BYTES_PER_UNIT } from "../encoding/byte-writer.js";
import type { EncodedRecord } from "../encoding/record-observer.js";
import { IdHash, viewOf } from "../ids/id-hash.js";
import { IdTable } from "../ids/id-table.js";
import { REFERRED_TO } from "./record-references.js";

/** An id's hash. */
export type Hash = Pick<IdHash, "low" | "high">;

/** The ids that are there, of the collections that others refer to: by their hashes, about 25 bytes an id. */
export class ReferencedIds {
  readonly #tables: ReadonlyMap<CollectionName, IdTable>;
  readonly #hash = new IdHash();
  #text = Buffer.alloc(256);

  /** @param declared The snapshot collections that the run writes. */
  constructor(declared: readonly SnapshotCollection[]) {
    const searched = declared.filter((name) => REFERRED_TO.has(name));
    this.#tables = new Map(searched.map((name) => [name, new IdTable()]));
  }

  /** Whether ids are looked for in this collection. */
  covers(collection: SnapshotCollection): boolean {
    return this.#tables.has(collection);
  }

  /** This record is there. */
  add(collection: CollectionName, { buffer, idStart, idEnd }: EncodedRecord): void {
    const table = this.#tables.get(collection);
    if (table === undefined) return;
    this.#hash.id(viewOf(buffer), idStart, idEnd);
    table.add(this.#hash.low, this.#hash.high, 0, 0);
  }

  /** A record with this id is there. */
  addText(collection: CollectionName, id: string): void {
    const { low, high } = this.hashOf(id);
    this.#tables.get(collection)?.add(low, high, 0, 0);
  }

  /** Whether one of the collections has the id. */
  has(collections: readonly SnapshotCollection[], { low, high }: Hash): boolean {
    return collections.some((collection) => this.#tables.get(collection)?.has(low, high) === true);
  }

  /** The hash of an id; it changes with the next call. */
  hashOf(id: string): Hash {
    const most = BYTES_PER_UNIT * id.length;
    if (most > this.#text.length) this.#text = Buffer.alloc(most);
    this.#hash.id(viewOf(this.#text), 0, this.#text.write(id));
    return this.#hash;
  }
}
