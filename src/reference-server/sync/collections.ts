import type { Collection, MessageOf } from "../workspace.js";
import type { Batch } from "./batch.js";

/** The records of one message, tied to their collection. */
export type CollectionMessage<C extends Collection = Collection> = {
  [K in C]: { readonly $case: K; readonly value: { readonly records: readonly MessageOf<K>[] } };
}[C];

/** Where an installation keeps the records of one collection. */
export interface CollectionStore<C extends Collection> {
  /** A snapshot is the complete current set, an event is an observation of its own. */
  readonly model: "snapshot" | "event";
  /** Takes in the records of one message, to be read at once. */
  write(records: readonly MessageOf<C>[], batch: Batch): void;
  /** Does what the completion of a batch that included the collection does to it. */
  complete(batch: Batch): void;
  /** What a reader sees: the same list until that is another one. */
  present(): readonly MessageOf<C>[];
}

/** The name on the wire of a collection, variant or field: `groupMembers` is `group_members`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The stable id of a record in its source; `undefined` for externally discovered usage, which has none. */
export function recordId({ variant }: MessageOf<Collection>): string | undefined {
  if (variant === undefined) return undefined;
  if ("sourceId" in variant.value) return variant.value.sourceId;
  return "id" in variant.value ? variant.value.id : undefined;
}
