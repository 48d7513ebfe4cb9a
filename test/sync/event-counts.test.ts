import fc from "fast-check";
import { expect, test } from "vitest";
import { EventCounts } from "../../src/sync/ids/event-counts.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../support/property-runs.js";

type Hash = readonly [low: number, high: number, third: number];

/** Hashes that share a part, a slot, or all but one word. An event may use the entries of the next few. */
const hash: fc.Arbitrary<Hash> = fc.tuple(
  fc.constantFrom(0, 1, 1 << 26, -1),
  fc.constantFrom(0, 8, 2 ** 31 - 1, -(2 ** 31) + 8, -8),
  fc.constantFrom(0, 1, -1),
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("add"), hash }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("take"), hash }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("restore"), hash }) },
);

/** A plain model of the counts. */
class Model {
  readonly #counts = new Map<string, { added: number; taken: number }>();

  add(hash: Hash): void {
    const counts = this.#of(hash);
    counts.added += 1;
    counts.taken += 1;
  }

  take(hash: Hash): boolean {
    const counts = this.#of(hash);
    if (counts.taken === counts.added) return false;
    counts.taken += 1;
    return true;
  }

  restore(): void {
    for (const counts of this.#counts.values()) counts.taken = 0;
  }

  #of(hash: Hash): { added: number; taken: number } {
    const counts = this.#counts.get(hash.join()) ?? { added: 0, taken: 0 };
    this.#counts.set(hash.join(), counts);
    return counts;
  }
}

/** Pseudo-random numbers, the same each time. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  };
}

test("counts events as a map does, whatever is added, taken and restored", { timeout: TIMEOUT_MS }, () => {
  const property = fc.property(fc.array(step, { maxLength: 300, size: "max" }), (steps) => {
    const events = new EventCounts();
    const model = new Model();
    for (const { does, hash } of steps) {
      if (does === "add") {
        events.add(...hash);
        model.add(hash);
      } else if (does === "take") {
        expect(events.take(...hash)).toBe(model.take(hash));
      } else {
        events.restore();
        model.restore();
      }
    }
  });
  fc.assert(property, { ...LIMITS, numRuns: RUNS });
});

test("keeps 50,000 events apart", () => {
  const next = numbers();
  const hashes = Array.from({ length: 50_000 }, (): Hash => [next(), next(), next()]);
  const events = new EventCounts();
  const often = (index: number) => 1 + (index % 3);
  hashes.forEach((hash, index) => {
    for (let i = 0; i < often(index); i += 1) events.add(...hash);
  });
  expect(hashes.some((hash) => events.take(...hash))).toBe(false);
  for (let round = 0; round < 2; round += 1) {
    events.restore();
    const wrong = hashes.filter(([low, high, third], index) => {
      for (let i = 0; i < often(index); i += 1) if (!events.take(low, high, third)) return true;
      return events.take(low, high, third) || events.take(low, high, ~third);
    });
    expect(wrong).toEqual([]);
  }
});

test("counts an event beyond the limit of one entry", () => {
  const events = new EventCounts();
  for (let i = 0; i < 200_000; i += 1) events.add(1, -1, 1);
  events.restore();
  let taken = 0;
  while (events.take(1, -1, 1)) taken += 1;
  expect(taken).toBe(200_000);
});
