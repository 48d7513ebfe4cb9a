import type { Collection, MessageOf } from "../workspace.js";
import type { Batch } from "./batch.js";

/** The records of one message, tied to their collection. */
export type CollectionMessage<C extends Collection = Collection> = {
  [K in C]: { readonly $case: K; readonly value: { readonly records: readonly MessageOf<K>[] } };
}[C];

/** Where an installation keeps the records of one collection. */
export interface CollectionStore<C extends Collection> {
  readonly model: "snapshot" | "event";
  write(records: readonly MessageOf<C>[], batch: Batch): void;
  /** Called when a batch that included the collection completes. */
  complete(batch: Batch): void;
  /** The records that readers see: the same array until they change. */
  present(): readonly MessageOf<C>[];
  /** Every record that was ever accepted. */
  all(): readonly { readonly id: string; readonly removed: boolean; readonly record: MessageOf<C> }[];
}

/** Name on the wire of a collection, variant or field: `groupMembers` is `group_members`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The id of a record in its source; externally discovered usage has none. */
export function recordId({ variant }: MessageOf<Collection>): string | undefined {
  if (variant === undefined) return undefined;
  if ("sourceId" in variant.value) return variant.value.sourceId;
  return "id" in variant.value ? variant.value.id : undefined;
}
