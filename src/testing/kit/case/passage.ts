import type { Collection } from "../../../sync/collections.js";
import type { StruckRecords } from "../faults/fault.js";
import { enterVirtualTime, type VirtualTime } from "../time/context.js";
import type { Activity } from "./activity.js";

/** The way of records from a connector into its batch: they are noted, and a fault may strike them. */
export class Passage {
  /** What was passed on, by collection. */
  readonly records = new Map<Collection, object[]>();
  /** What the fault threw at a writer: the SDK sends nothing of a run whose write has failed. */
  failure: { readonly error: unknown } | undefined;
  readonly #taken = new Map<Collection, number>();

  /** @param struck Called each time that the fault has changed something. */
  constructor(
    readonly time: VirtualTime,
    readonly activity: Activity,
    readonly fault: StruckRecords | undefined,
    readonly struck: () => void,
  ) {}

  throwFailure(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }

  note(collection: Collection, records: readonly object[]): void {
    const noted = this.records.get(collection) ?? [];
    this.records.set(collection, noted);
    for (const record of records) noted.push(record);
  }

  /** Passes a block on. @throws what the fault makes of the source */
  pass(collection: Collection, records: readonly object[]): readonly object[] {
    const index = this.#taken.get(collection) ?? 0;
    this.#taken.set(collection, index + records.length);
    const passed = this.#strike(() => this.fault?.pass({ collection, records, index }));
    if (passed !== undefined && passed !== records) this.struck();
    this.note(collection, passed ?? records);
    return passed ?? records;
  }

  /** What the fault adds at the end of a collection. */
  end(collection: Collection): readonly object[] {
    const added = this.#strike(() => this.fault?.end?.(collection)) ?? [];
    if (added.length > 0) this.struck();
    this.note(collection, added);
    return added;
  }

  /** Runs code of the connector that a source consists of. */
  pull<T>(code: () => T | Promise<T>): Promise<T> {
    return this.activity.during("pulls", () => enterVirtualTime(this.time, code));
  }

  #strike<T>(strike: () => T): T {
    try {
      return strike();
    } catch (error) {
      this.struck();
      throw error;
    }
  }
}
