import type { RecordOf, RecordSource } from "@saas-management/sdk";
import { makeRecord, type SimCollection } from "./messages.js";
import type { SourceSpec } from "./program.js";
import type { SimClock } from "./sim-clock.js";

/** What the simulated vendor's API throws. */
export class SourceFailure extends Error {}

/** Whether a source yields all of its records, and all of them are valid. */
export function isWhole({ throwsAt, invalidAt, ids }: SourceSpec): boolean {
  return !within(throwsAt, ids) && !within(invalidAt, ids);
}

function within(index: number | undefined, ids: readonly number[]): boolean {
  return index !== undefined && index < ids.length;
}

function paddingOf({ paddedAt, paddingBytes }: SourceSpec, index: number): number {
  return index === paddedAt ? paddingBytes : 0;
}

/** Makes a source of the kind that connectors use. */
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
      // An array cannot fail half-way, so an invalid record takes the place of the failure.
      return indexes.map((index) => (index === spec.throwsAt ? invalid() : record(index)));
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

/** The record id for a number. */
export function keyOf(id: number): string {
  return `id-${id}`;
}
