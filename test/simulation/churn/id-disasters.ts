import type { Population } from "./population.js";
import type { Random } from "./random.js";

/** What one run sends: the existing records and their values. */
export interface View {
  readonly alive: Uint8Array;
  readonly columns: readonly Int32Array[];
  /** Number of records that are sent twice. */
  readonly duplicates?: number;
}

/** A way for a source to go wrong. */
export interface Disaster {
  readonly kind: string;
  /** What the next runs send, in order. */
  readonly views: readonly View[];
  /** The share of the ids, or of a field's values, that is wrong in the end. */
  readonly damage: number;
}

/** Applies disasters that hit ids to the existing records, one after another. */
export function* idDisasters(population: Population, random: Random): Generator<Disaster> {
  const all = population.slots();
  const { length } = all;
  const lost = (
    kind: string,
    share: number,
    kept = random.pick(all, Math.ceil(length * (1 - share))),
  ): Disaster => ({
    kind,
    views: [only(population, kept)],
    damage: 1 - kept.length / length,
  });
  if (length === 0) return;
  yield lost("an empty answer", 1);
  if (length >= 4) {
    yield lost("a half is lost", 0.5);
    yield lost("one page of forty", 39 / 40);
    const page = random.one([50, 100, 200, 500, 1000]) ?? 50;
    const full = Math.floor((length - 1) / page) * page;
    if (full > 0) yield lost("the last page is lost", 0, all.subarray(0, full));
    yield lost("a filter is left on", random.between(0.3, 0.95));
    yield lost("a region is down", random.between(0.15, 0.45));
    const twice = Math.floor(length * random.between(0.06, 0.25));
    const readTwice = only(population, random.pick(all, length - twice));
    yield {
      kind: "a page in place of another",
      views: [{ ...readTwice, duplicates: twice }],
      damage: twice / length,
    };
    yield erosion(population, random, all);
    yield* slices(population, random, all);
  }
  yield* added(population, "another tenant", random.between(0.3, 3), { isBeside: false });
  yield* added(population, "other case or prefix of ids", 1, { isBeside: false, copied: all });
  yield* added(population, "all under a second id", 1, { isBeside: true, copied: all });
  yield* added(population, "some under a second id", random.between(0.2, 0.9), {
    isBeside: true,
    copied: all,
  });
  yield* added(population, "a second tenant", random.between(0.3, 1.5), { isBeside: true });
  yield* added(population, "a filter is removed", random.between(1.5, 10), { isBeside: true });
  const parent = population.fields.find(({ kind }) => kind === "parent");
  if (parent === undefined || length < 20) return;
  const parents = population.column(parent.path);
  const largest = mostFrequent(all, parents);
  const others = all.filter((slot) => parents[slot] !== largest);
  const those = all.filter((slot) => parents[slot] === largest);
  yield lost("the largest group or plan is empty", 0, others);
  const quarter = those.subarray(0, Math.max(1, those.length >> 2));
  yield lost("the largest group or plan is cut", 0, joined(others, quarter));
}

/** A view of only the records in these slots. */
export function only(population: Population, slots: Int32Array): View {
  const alive = new Uint8Array(population.alive.length);
  for (const slot of slots) alive[slot] = 1;
  return { alive, columns: population.columns };
}

function erosion(population: Population, random: Random, all: Int32Array): Disaster {
  const share = random.between(0.05, 0.24);
  const views: View[] = [];
  let left = all;
  for (let run = 0; run < 12; run += 1) {
    left = random.pick(left, Math.max(1, Math.round(left.length * (1 - share))));
    views.push(only(population, left));
  }
  return { kind: "erosion of 5 to 24% a run", views, damage: 1 - left.length / all.length };
}

/** The ids change slice by slice; the number of records stays the same. */
function* slices(population: Population, random: Random, all: Int32Array): Generator<Disaster> {
  const share = random.between(0.1, 0.24);
  const runs = Math.min(8, Math.floor(1 / share));
  const order = random.pick(all);
  const copies = population.add(all.length, order);
  const views = Array.from({ length: runs }, (_, run) => {
    const done = Math.floor((run + 1) * share * all.length);
    return only(population, joined(order.subarray(done), copies.subarray(0, done)));
  });
  yield { kind: "ids change in slices", views, damage: Math.floor(runs * share * all.length) / all.length };
  population.forget(copies);
}

/** Adds `share` new records for each existing one, either in place of existing records or in addition. */
function* added(
  population: Population,
  kind: string,
  share: number,
  { isBeside, copied }: { readonly isBeside: boolean; readonly copied?: Int32Array },
): Generator<Disaster> {
  const old = population.slots();
  const slots = population.add(Math.max(1, Math.floor(old.length * share)), copied);
  const sent = isBeside ? joined(old, slots) : slots;
  yield { kind, views: [only(population, sent)], damage: isBeside ? Math.min(1, share) : 1 };
  population.forget(slots);
}

export function mostFrequent(slots: Int32Array, column: Int32Array): number {
  const counts = new Map<number, number>();
  for (const slot of slots) counts.set(column[slot] ?? 0, (counts.get(column[slot] ?? 0) ?? 0) + 1);
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0] as const)[0];
}

function joined(first: Int32Array, second: Int32Array): Int32Array {
  const all = new Int32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
