import { type ResolvedRule, resolveGuard } from "../../../src/runs/guard/rules.js";
import { planOf } from "./events.js";
import { earlyDisasters, fieldDisasters } from "./field-disasters.js";
import type { Modelled } from "./fields.js";
import { judged, type Ledger } from "./guard.js";
import { type Disaster, idDisasters, type View } from "./id-disasters.js";
import { Installation } from "./installation.js";
import { live } from "./life.js";
import type { LifeEvent } from "./life-event.js";
import { ORGANISATIONS, type Organisation } from "./organisations.js";
import type { Population } from "./population.js";
import { Random } from "./random.js";
import { referenceDisasters } from "./reference-disasters.js";
import { sampleOf } from "./sample.js";
import { type Held, type Outcome, Tally } from "./tally.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A Monday at midnight. */
const START = Date.UTC(2026, 0, 5);
/** Disasters start once there is something to compare with. */
const FIRST_DISASTER_DAY = 10;
/** How often each kind of disaster hits each collection in an installation's life. */
const DISASTERS = 4;
/** Disasters that come late enough for the ledger to know what is usual. */
const LATER: readonly (readonly [
  concerns: Outcome["concerns"],
  play: (population: Population, random: Random) => Iterable<Disaster>,
])[] = [
  ["ids", idDisasters],
  ["fields", fieldDisasters],
];
/** How long an event may still explain a held run. */
const RECENT = { days: 8, runs: 5 };
/** Runs fail occasionally: servers restart, vendors are down. */
const FAILED = 0.01;

export interface ChurnOptions {
  readonly seed: number;
  /** Number of installations for each organisation. */
  readonly lives: number;
  readonly organisations?: readonly Organisation[];
}

/** Simulates installations of each organisation, and judges their runs by the shipped rules. */
export function simulateChurn({ seed, lives, organisations = ORGANISATIONS }: ChurnOptions): Tally {
  const rule = resolveGuard({}, 0).ruleOf("accounts");
  if (rule === undefined) throw new Error("The guard is off.");
  const tally = new Tally();
  const random = new Random(seed);
  for (const organisation of organisations)
    for (let life = 0; life < lives; life += 1)
      new Life(
        new Installation(organisation, random.fork(`${organisation.name} ${life}`)),
        rule,
        tally,
      ).run();
  return tally;
}

/** The runs of an installation. Held runs are approved immediately, as if by an operator. */
class Life {
  readonly #installation: Installation;
  readonly #rule: ResolvedRule;
  readonly #tally: Tally;
  readonly #misfortune: Random;
  readonly #ledgers = new Map<Modelled, Ledger>();
  /** Events of the last runs. */
  #recent: { readonly event: LifeEvent; readonly day: number; readonly run: number }[] = [];

  constructor(installation: Installation, rule: ResolvedRule, tally: Tally) {
    this.#installation = installation;
    this.#rule = rule;
    this.#tally = tally;
    this.#misfortune = installation.random.fork("misfortune");
  }

  run(): void {
    const installation = this.#installation;
    const { period, days, name } = installation.organisation;
    const planned = planOf(installation);
    const outages = this.#outages(days);
    const runs = Math.floor(days / period);
    const first = Math.min(runs - 2, Math.ceil(FIRST_DISASTER_DAY / period));
    const disasters = new Set(
      Array.from({ length: DISASTERS }, () => first + this.#misfortune.below(runs - first)),
    );
    for (const population of installation.collections.values())
      this.#judge(population, viewOf(population), 0);
    installation.elapsed = period;
    for (let run = 1; run < runs; run += 1) {
      // Runs are a little past the hour, so that none is exactly on the edge of a night or a weekend.
      const day = run * period + 0.001;
      installation.day = day;
      live(installation);
      for (const { event, from, to } of planned) {
        const share = to === from ? 1 : Math.min(period, day - from, to + period - day) / (to - from);
        if (day < from || day - period >= to) continue;
        event.happen(installation, share);
        this.#recent.push({ event, day, run });
      }
      installation.follow();
      if (outages.some((start) => day >= start && day < start + 8) || this.#misfortune.chance(FAILED))
        continue;
      this.#tally.run(name, this.#complete(run), day);
      for (const population of installation.collections.values()) {
        if (run === 1) this.#suffer(population, [["early", earlyDisasters]]);
        if (disasters.has(run)) this.#suffer(population, LATER);
      }
      if (disasters.has(run)) this.#sufferLosses();
    }
    this.#tally.years += (runs * period) / 365;
  }

  /** When outages of eight days begin: three with the habit `outages`; of the other installations, 40% have one. */
  #outages(days: number): number[] {
    const times = this.#installation.has("outages") ? 3 : this.#misfortune.chance(0.4) ? 1 : 0;
    return Array.from({ length: times }, () => days * this.#misfortune.between(0.1, 0.9));
  }

  /** @returns the held collections, with the events that explain them */
  #complete(run: number): Held[] {
    const { collections, day } = this.#installation;
    this.#recent = this.#recent.filter(
      (past) => past.day >= day - RECENT.days || past.run > run - RECENT.runs,
    );
    return [...collections.values()].flatMap((population) => {
      const rules = this.#judge(population, viewOf(population), day);
      const events = this.#recent
        .map(({ event }) => event)
        .filter(({ isAsked, concerns }) => isAsked && concerns.includes(population.collection));
      return rules.length === 0 ? [] : [{ rules, events: events.map(({ name }) => name) }];
    });
  }

  /** Judges a snapshot, and completes it. @returns the rules that the snapshot breaks */
  #judge(population: Population, view: View, day: number, others = new Map<Population, View>()): string[] {
    const { collection } = population;
    const named = this.#installation.references.filter(({ child }) => child === population);
    const isNamed = (path: string, value: number) => {
      const reference = named.find((one) => one.path === path);
      return reference === undefined || (others.get(reference.parent) ?? reference.parent).alive[value] === 1;
    };
    const snapshot = {
      alive: view.alive,
      sample: sampleOf(population, view, isNamed),
      at: START + day * DAY_MS,
      duplicates: view.duplicates,
    };
    const before = this.#ledgers.get(collection) ?? { alive: view.alive, pasts: [] };
    const { findings, next } = judged(collection, before, snapshot, this.#rule);
    this.#ledgers.set(collection, next);
    return findings.map(({ rule }) => rule);
  }

  /** Replaces the next runs with each disaster in turn, and undoes each disaster afterwards. */
  #suffer(population: Population, kinds: typeof LATER): void {
    const ledger = this.#ledgers.get(population.collection);
    if (ledger === undefined) return;
    const records = population.size;
    const { day, organisation } = this.#installation;
    for (const [concerns, play] of kinds)
      for (const { kind, views, damage } of play(population, this.#misfortune)) {
        const isHeld = views.some(
          (view, i) => this.#judge(population, view, day + (i + 1) * organisation.period).length > 0,
        );
        this.#ledgers.set(population.collection, ledger);
        this.#tally.disaster({ kind, concerns, records, damage, isHeld });
      }
  }

  /** Plays losses of records that others refer to. The run is held if either of the two collections is held. */
  #sufferLosses(): void {
    const { day, organisation, references } = this.#installation;
    for (const reference of references) {
      const both = [reference.parent, reference.child];
      const ledgers = both.map(({ collection }) => [collection, this.#ledgers.get(collection)] as const);
      for (const { kind, views, damage } of referenceDisasters(reference, this.#misfortune)) {
        const [lost = viewOf(reference.parent)] = views;
        const others = new Map([[reference.parent, lost]]);
        const rules = both.flatMap((population) =>
          this.#judge(
            population,
            others.get(population) ?? viewOf(population),
            day + organisation.period,
            others,
          ),
        );
        for (const [collection, ledger] of ledgers)
          if (ledger !== undefined) this.#ledgers.set(collection, ledger);
        const { size: records } = reference.child;
        this.#tally.disaster({ kind, concerns: "references", records, damage, isHeld: rules.length > 0 });
      }
    }
  }
}

function viewOf({ alive, columns }: Population): View {
  return { alive: alive.slice(), columns };
}
