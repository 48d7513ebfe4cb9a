import { type Disaster, mostFrequent, type View } from "./id-disasters.js";
import { type Field, MISSING, type Population } from "./population.js";
import type { Random } from "./random.js";

const OTHER = 1_000_000_000;
const CONSTANT = 900_000_000;
/** If a smaller share of the records has a field, nobody notices the loss of the field. */
const LEAST_FILL = 0.2;

/** Columns of wrong values, by field path. */
type Wrong = ReadonlyMap<string, Int32Array>;

/** Applies disasters that hit fields to the existing records. */
export function* fieldDisasters(population: Population, random: Random): Generator<Disaster> {
  const all = population.slots();
  if (all.length < 3) return;
  yield* played(population, all, playsOf(new Damage(population, all, random), random));
}

function* played(population: Population, all: Int32Array, plays: Iterable<Play>): Generator<Disaster> {
  for (const { kind, steps } of plays) {
    const damage = damageOf(population, all, steps.at(-1) ?? new Map());
    const views = steps.map((wrong): View => {
      const columns = population.fields.map(({ path }) => wrong.get(path) ?? population.column(path));
      return { alive: population.alive, columns };
    });
    if (damage !== undefined) yield { kind, views, damage };
  }
}

/** What goes wrong with values in the first days, before anyone knows what is usual. */
export function* earlyDisasters(population: Population, random: Random): Generator<Disaster> {
  const all = population.slots();
  if (all.length < 5) return;
  const damage = new Damage(population, all, random);
  const plays: Play[] = [];
  for (const { path, kind } of damage.fields) {
    if (kind === "boolean") {
      const mostly = 2 * damage.filled(path).filter((slot) => damage.column(path)[slot] === 1).length;
      const rarer = mostly > damage.filled(path).length ? 0 : 1;
      plays.push(damage.play("first week: a boolean is inverted for all", path, () => rarer));
    } else if (kind === "text" || kind === "reference") {
      const most = random.pick(all, Math.ceil(0.85 * all.length));
      plays.push(damage.play('first week: "undefined" for 85%', path, () => CONSTANT, most));
    } else if (kind === "choice") {
      plays.push(damage.play("first week: a choice is unknown for all", path, () => CONSTANT));
    }
  }
  yield* played(population, all, plays);
}

/** The largest share of wrong values in any field; undefined if nobody could notice. */
function damageOf(population: Population, all: Int32Array, wrong: Wrong): number | undefined {
  let worst: number | undefined;
  for (const { path, kind } of population.fields) {
    const now = wrong.get(path);
    if (now === undefined || kind === "counter") continue;
    const before = population.column(path);
    const filled = all.filter((slot) => before[slot] !== MISSING);
    const wrongs = filled.filter((slot) => before[slot] !== now[slot]).length;
    if (wrongs >= 3) worst = Math.max(worst ?? 0, wrongs / filled.length);
  }
  return worst;
}

interface Play {
  readonly kind: string;
  readonly steps: readonly Wrong[];
}

type Column = readonly [path: string, values: Int32Array];

const one = (kind: string, ...wrong: readonly Column[]): Play => ({ kind, steps: [new Map(wrong)] });

/** Creates columns that contain wrong values. */
class Damage {
  readonly fields: readonly Field[];
  readonly all: Int32Array;
  readonly #population: Population;
  readonly #random: Random;

  constructor(population: Population, all: Int32Array, random: Random) {
    this.#population = population;
    this.#random = random;
    this.all = all;
    this.fields = population.fields.filter(({ path }) => this.filled(path).length >= LEAST_FILL * all.length);
  }

  column(path: string): Int32Array {
    return this.#population.column(path);
  }

  filled(path: string): Int32Array {
    const column = this.column(path);
    return this.all.filter((slot) => column[slot] !== MISSING);
  }

  /** A disaster that changes the values of one field. */
  play(kind: string, ...[path, changed, slots]: Parameters<Damage["other"]>): Play {
    return one(kind, this.other(path, changed, slots));
  }

  /** Replaces the values that records have. */
  other(path: string, changed: (value: number, i: number) => number, slots = this.all): Column {
    const column = this.column(path).slice();
    for (const [i, slot] of slots.entries()) {
      const value = column[slot] ?? MISSING;
      if (value !== MISSING) column[slot] = changed(value, i);
    }
    return [path, column];
  }

  /** Gives each record the previous record's value, or no value if the previous record has none. */
  shifted(path: string, slots = this.all): Column {
    const column = this.column(path);
    const wrong = column.slice();
    for (const [i, slot] of slots.entries()) wrong[slot] = column[slots.at(i - 1) ?? 0] ?? MISSING;
    return [path, wrong];
  }

  /** Gives records the values of other people. */
  foreign(path: string, slots = this.all): Column {
    const field = this.#population.field(path);
    const column = this.column(path).slice();
    if (field !== undefined) for (const slot of slots) column[slot] = this.#population.draw(field);
    return [path, column];
  }

  emptied(path: string, share: number, from = this.column(path)): Column {
    const column = from.slice();
    const filled = this.all.filter((slot) => column[slot] !== MISSING);
    for (const slot of this.#random.pick(filled, Math.ceil(filled.length * share))) column[slot] = MISSING;
    return [path, column];
  }
}

function* playsOf(damage: Damage, random: Random): Generator<Play> {
  const { fields, all } = damage;
  const of = (...kinds: readonly Field["kind"][]) =>
    fields.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  yield* textPlays(of("text", "reference"), damage, random);
  for (const path of of("choice")) yield* choicePlays(path, damage);
  const references = fields.filter(
    ({ path, kind }) => kind === "reference" || kind === "parent" || path === "managerId",
  );
  for (const { path } of references) {
    const [target = 0] = random.pick(damage.filled(path), 1).map((slot) => damage.column(path)[slot] ?? 0);
    yield damage.play("reference: all to one", path, () => target);
    yield one("reference: shifted by a row", damage.shifted(path));
  }
  for (const path of of("number")) {
    yield damage.play("number: 0 everywhere", path, () => 0);
    yield damage.play("number: in cents", path, (value) => value * 100);
  }
  for (const path of of("time")) yield damage.play("time: another zone", path, (value) => value + 2);
  for (const path of of("boolean")) {
    yield damage.play("boolean: inverted", path, (value) => 1 - value);
    yield damage.play("boolean: all false", path, () => 0);
    yield damage.play("boolean: all true", path, () => 1);
  }
  yield* rowPlays(damage, random);
  yield* emptyPlays(damage, random);
  const organised = ["costCenter", "managerId", "departmentPath"].filter((path) =>
    fields.some((field) => field.path === path),
  );
  if (organised.length > 0)
    yield one("organisation shifted by a row", ...organised.map((path) => damage.shifted(path)));
  if (all.length >= 3 && of("text").length > 1) {
    const own = fields.filter(({ kind }) => kind !== "parent").map(({ path }) => path);
    yield one("another tenant under the same ids", ...own.map((path) => damage.foreign(path)));
    const half = random.pick(all, Math.floor(all.length * 0.49));
    yield one("49% belong to others", ...own.map((path) => damage.foreign(path, half)));
  }
}

function* textPlays(texts: readonly string[], damage: Damage, random: Random): Generator<Play> {
  const { all } = damage;
  for (const path of texts) yield damage.play('text: "undefined"', path, () => CONSTANT);
  const path = random.one(texts);
  if (path === undefined) return;
  const encoded = (value: number) => value + OTHER;
  yield damage.play("text: masked or encoded", path, encoded);
  const some = random.pick(all, Math.ceil(all.length * random.between(0.3, 0.6)));
  yield damage.play("text: mojibake in 30 to 60%", path, encoded, some);
  yield damage.play("text: cut off", path, (value) => (random.chance(0.85) ? encoded(value) : value));
  const other = random.one(texts.filter((text) => text !== path));
  if (other !== undefined) {
    const column = damage.column(other);
    yield damage.play("text: of another field", path, (value, i) => column[all[i] ?? 0] || value);
  }
  for (const share of [0.25, 0.5]) {
    const length = Math.ceil(all.length * share);
    const rows = random.pick(all, length);
    const name = `${100 * share}% of the rows`;
    yield damage.play(`${name}: "undefined"`, path, () => CONSTANT, rows);
    yield one(`${name}: values of others`, damage.shifted(path, rows));
    const start = random.below(all.length - length + 1);
    const page = all.subarray(start, start + length);
    yield damage.play(`${name}, one page: "undefined"`, path, () => CONSTANT, page);
  }
}

function* choicePlays(path: string, damage: Damage): Generator<Play> {
  const column = damage.column(path);
  const filled = damage.filled(path);
  const values = [...new Set(filled.map((slot) => column[slot] ?? 0))];
  const commonest = mostFrequent(filled, column);
  const rarest = values.findLast((value) => value !== commonest);
  if (rarest === undefined) return;
  yield damage.play("choice: all one of the rarer values", path, () => rarest);
  yield damage.play("choice: all the commonest value", path, () => commonest);
  yield damage.play("choice: all an unknown value", path, () => CONSTANT);
  yield damage.play(
    "choice: values mapped in a circle",
    path,
    (value) => values[(values.indexOf(value) + 1) % values.length] ?? value,
  );
}

function* rowPlays(damage: Damage, random: Random): Generator<Play> {
  const paths = damage.fields.map(({ path }) => path);
  yield one("all fields shifted by a row", ...paths.map((path) => damage.shifted(path)));
  const some = random.pick(damage.all, Math.ceil(damage.all.length * 0.5));
  yield one("half of the rows shifted by a row", ...paths.map((path) => damage.shifted(path, some)));
}

function* emptyPlays(damage: Damage, random: Random): Generator<Play> {
  const optional = damage.fields.filter(({ isRequired }) => !isRequired).map(({ path }) => path);
  const path = random.one(optional);
  if (path === undefined) return;
  yield one("empty: a field", damage.emptied(path, 1));
  yield one("empty: 30 to 100% of a field", damage.emptied(path, random.between(0.3, 1)));
  const share = random.between(0.3, 1);
  yield one("empty: 30 to 100% of all fields", ...optional.map((field) => damage.emptied(field, share)));
  const step = random.between(0.1, 0.24);
  const steps: Wrong[] = [];
  let left = damage.column(path);
  for (let run = 0; run < 10; run += 1) {
    const wrong = damage.emptied(path, step, left);
    steps.push(new Map([wrong]));
    left = wrong[1];
  }
  yield { kind: "empty: 10 to 24% more in each run", steps };
}
