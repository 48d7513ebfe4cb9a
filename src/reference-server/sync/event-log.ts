import type { Collection, MessageOf } from "../workspace.js";
import type { Batch } from "./batch.js";
import { type CollectionStore, recordId } from "./collections.js";

/**
 * The events of one collection of an installation, kept for good.
 *
 * An event with an id of its own is stored once, whichever batches send it; one without is stored as often as it is
 * sent, because two equal ones may be two observations.
 */
export class EventLog<C extends Collection> implements CollectionStore<C> {
  readonly model = "event";
  readonly #collection: C;
  readonly #ids = new Set<string>();
  readonly #events: MessageOf<C>[] = [];
  /** What a reader was shown, until an event comes. */
  #shown: readonly MessageOf<C>[] | undefined;

  constructor(collection: C) {
    this.#collection = collection;
  }

  write(events: readonly MessageOf<C>[], batch: Batch): void {
    batch.tally(this.#collection).accepted += events.length;
    for (const event of events) {
      const id = recordId(event);
      if (id !== undefined) {
        if (this.#ids.has(id)) continue;
        this.#ids.add(id);
      }
      this.#events.push(event);
      this.#shown = undefined;
    }
  }

  /** Nothing: no batch removes an event. */
  complete(): void {}

  present(): readonly MessageOf<C>[] {
    this.#shown ??= [...this.#events];
    return this.#shown;
  }
}
