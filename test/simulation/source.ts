import type { RecordOf, RecordSource } from "@saas-management/sdk";
import { makeRecord, type SimCollection } from "./messages.js";
import type { Change, SourceSpec } from "./program.js";
import type { SimClock } from "./sim-clock.js";

/** What the simulated vendor's API throws. */
export class SourceFailure extends Error {}

/** Whether a source gives all of its records, and each of them is valid. */
export function isWhole({ throwsAt, invalidAt, ids }: SourceSpec): boolean {
  return !within(throwsAt, ids) && !within(invalidAt, ids);
}

function within(index: number | undefined, ids: readonly number[]): boolean {
  return index !== undefined && index < ids.length;
}

/** The records of an array. It cannot fail half-way: it fails where it is made. */
export function makeArray<C extends SimCollection>(
  spec: SourceSpec,
  collection: C,
  label: string,
): RecordOf<C>[] {
  const fails = (index: number) => index === spec.throwsAt || index === spec.invalidAt;
  return spec.ids.map((id, index) =>
    makeRecord(collection, fails(index) ? "" : keyOf(id), `${label}#${index}`, paddingOf(spec, index)),
  );
}

/**
 * Does to an array what its owner does after the call that took it.
 * @param firstIndex Index in the write of its first record.
 */
export function changeArray<C extends SimCollection>(
  records: RecordOf<C>[],
  change: Change | undefined,
  collection: C,
  label: string,
  firstIndex = 0,
): void {
  if (change === undefined || change === "reused") return;
  const strays = records.map((_, index) =>
    makeRecord(collection, "stray", `${strayOf(label)}#${firstIndex + index}`),
  );
  records.splice(0, records.length, ...(change === "emptied" ? [] : strays));
}

/** What stands in records that their owner has put where those of a write were. */
export function strayOf(label: string): string {
  return `${label}-stray`;
}

function paddingOf({ paddedAt, paddingBytes }: SourceSpec, index: number): number {
  return index === paddedAt ? paddingBytes : 0;
}

/** A source as a connector would have it. */
export function makeSource<C extends SimCollection>(
  spec: SourceSpec,
  collection: C,
  label: string,
  clock: SimClock,
  signal: AbortSignal | undefined,
): RecordSource<RecordOf<C>> {
  const valid = (index: number) =>
    makeRecord(collection, keyOf(spec.ids[index] ?? 0), `${label}#${index}`, paddingOf(spec, index));
  const invalid = () => makeRecord(collection, "", label);
  const record = (index: number) => {
    if (index === spec.throwsAt) throw new SourceFailure("the vendor's API failed");
    return index === spec.invalidAt ? invalid() : valid(index);
  };
  const pause = () => new Promise<void>((resolve) => clock.elsewhere(spec.pauseMs, resolve));
  const indexes = spec.ids.map((_, index) => index);
  switch (spec.kind) {
    case "array":
      return makeArray(spec, collection, label);
    case "iterable":
      return {
        *[Symbol.iterator]() {
          for (const index of indexes) yield record(index);
        },
      };
    case "async":
      return {
        async *[Symbol.asyncIterator]() {
          for (const index of indexes) {
            await pause();
            yield record(index);
          }
        },
      };
    case "quiet":
      return {
        async *[Symbol.asyncIterator]() {
          for (const index of indexes) {
            await pause();
            if (signal?.aborted === true) return;
            yield record(index);
          }
        },
      };
    case "arrays":
      return {
        async *[Symbol.asyncIterator]() {
          for (let i = 0; i < indexes.length; i += 3) {
            await pause();
            yield indexes.slice(i, i + 3).map(record);
          }
        },
      };
  }
}

/** The id that a number stands for. */
export function keyOf(id: number): string {
  return `id-${id}`;
}
