import { mixBytes } from "./id-hash.js";

const SIZE = 40;
/** The same for ever: samples of different runs are compared. */
const ORDER_SEED = 0x2545f491;
const ID_SEED = 0x5851f42d;

/** Where bytes lie in a buffer. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The records of a snapshot with the smallest hashes of their ids: a random choice that is the same in each run. */
export class RecordSample {
  readonly #records: { readonly order: number; readonly bytes: Uint8Array }[] = [];
  /** Records whose hash is not smaller are not among them. */
  #limit = 0x7fffffff;

  /** @returns the hash of the id if the record belongs to the sample as far as it is known */
  orderOf(bytes: DataView, idStart: number, idEnd: number): number | undefined {
    const order = mixBytes(bytes, idStart, idEnd, ORDER_SEED);
    return order < this.#limit ? order : undefined;
  }

  add(order: number, bytes: DataView, id: Range, name: Range, email: Range): void {
    const idHash = mixBytes(bytes, id.start, id.end, ID_SEED);
    // Salted with the id, so that equal names of different records look different.
    const nameHash = mixBytes(bytes, name.start, name.end, idHash);
    const emailHash = mixBytes(bytes, email.start, email.end, idHash);
    const entry = { order, bytes: Uint8Array.of(idHash, idHash >>> 8, nameHash, emailHash) };
    this.#records.splice(this.#records.findLastIndex((other) => other.order < order) + 1, 0, entry);
    this.#records.length = Math.min(this.#records.length, SIZE);
    if (this.#records.length === SIZE) this.#limit = this.#records.at(-1)?.order ?? this.#limit;
  }

  toString(): string {
    return Buffer.concat(this.#records.map(({ bytes }) => bytes)).toString("base64");
  }
}
