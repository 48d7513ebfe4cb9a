import { isPlainObject } from "../../core/validate.js";
import type { EventCollection } from "../../sync/collections.js";
import { COLLECTIONS } from "../../sync/collections.js";
import { timeFieldOf } from "./field-types.js";

/**
 * Leaves out the events that an earlier run has sent. Events of the very time of the watermark are sent again if they have
 * ids, so that none is lost; the others would count twice.
 */
export class EventTimes {
  readonly #field: string | undefined;
  readonly #since: number;
  readonly #sendsEqual: boolean;
  #latest: number;
  skipped = 0;

  constructor(collection: EventCollection, watermark: string | undefined) {
    this.#field = timeFieldOf(collection);
    this.#sendsEqual = COLLECTIONS[collection].idField !== undefined;
    this.#since = watermark === undefined ? Number.NEGATIVE_INFINITY : Date.parse(watermark);
    this.#latest = this.#since;
  }

  /** Until when events were seen; undefined if there was none with a time. */
  get watermark(): string | undefined {
    return Number.isFinite(this.#latest) ? new Date(this.#latest).toISOString() : undefined;
  }

  /** A record without a valid time is sent: the write explains what is wrong with it. */
  isNew(record: unknown): boolean {
    const given: unknown =
      isPlainObject(record) && this.#field !== undefined ? record[this.#field] : undefined;
    const time = typeof given === "string" ? Date.parse(given) : Number.NaN;
    if (Number.isNaN(time)) return true;
    if (time > this.#latest) this.#latest = time;
    const isNew = this.#sendsEqual ? time >= this.#since : time > this.#since;
    if (!isNew) this.skipped += 1;
    return isNew;
  }
}
