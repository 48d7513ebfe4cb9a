import { daysOf, remembered } from "../../../src/sync/guard/history.js";
import type { ResolvedRule } from "../../../src/sync/guard/rules.js";
import { type Finding, findingsOf } from "../../../src/sync/guard/verdict.js";
import type { History, PastSnapshot } from "../../../src/sync/ledger/history.js";
import { type Behaviour, DAY_MS, join } from "./behaviours.js";
import { DISASTERS, type Disaster } from "./disasters.js";
import type { CollectionPlan, Organisation } from "./organisations.js";
import { comparisonOf, Population } from "./population.js";
import type { Random } from "./random.js";
import type { Tally } from "./tally.js";

/** A Monday at midnight. */
const START = Date.UTC(2026, 0, 5);
const DAYS_A_YEAR = 365;
const RECENT_DAYS = 90;
const LAST_RUNS = 8;

export interface SimulationOptions {
  readonly years: number;
  readonly rule: ResolvedRule;
  /** How often in a year each kind of disaster comes over an installation. */
  readonly disastersAYear: number;
}

/** Runs an organisation's connector for some years: what is held is approved at once, as an operator would. */
export function simulateInstallation(
  organisation: Organisation,
  random: Random,
  { years, rule, disastersAYear }: SimulationOptions,
  tally: Tally,
): void {
  const { name, everyHours, down } = organisation;
  const collections = organisation.collections.map(
    (plan) => new Collection(plan, rule, random.fork(plan.name)),
  );
  const misfortune = random.fork("misfortune");
  const period = everyHours / 24;
  let last = 0;
  let downUntil = 0;
  // At a quarter past the hour, so that nights and weekends are not at their edges.
  for (let day = 0.01 + period / 2; day < years * DAYS_A_YEAR; day += period) {
    if (day < downUntil) continue;
    if (down !== undefined && misfortune.chance((down.timesAYear * period) / DAYS_A_YEAR))
      downUntil = day + down.days;
    const moment = { day, elapsed: day - last };
    last = day;
    const verdicts = collections.map((collection) => collection.run(moment));
    tally.run(name, verdicts);
    if (disastersAYear === 0 || day < 30) continue;
    for (const disaster of DISASTERS) {
      if (!misfortune.chance((disastersAYear * period) / DAYS_A_YEAR)) continue;
      const victim = collections[misfortune.below(collections.length)];
      if (victim !== undefined) tally.disaster(disaster, victim.suffer(disaster, period, misfortune));
    }
    for (const collection of collections) collection.complete();
  }
  tally.years += years;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Whether an operator should be asked: a large event came before the run. */
  readonly isEvent: boolean;
  /** What other rules would have done. */
  readonly heldBySum: boolean;
  readonly heldByRemovals: boolean;
}

export interface Outcome {
  readonly records: number;
  readonly isVisible: boolean;
  readonly rules: readonly string[];
  readonly heldByRemovals: boolean;
}

class Collection {
  readonly #population = new Population();
  readonly #behaviours: readonly Behaviour[];
  readonly #rule: ResolvedRule;
  readonly #random: Random;
  readonly #days: number;
  #history: History = [];
  #next: { readonly past: PastSnapshot; readonly findings: readonly Finding[] } | undefined;
  /** Removals within the window, since the last one that this rule held. */
  #removals: { readonly at: number; readonly gone: number }[] = [];
  /** What had come and left, once a week. */
  #marks: { readonly day: number; readonly joined: number; readonly left: number }[] = [];

  constructor({ size, shape = {}, behaviours }: CollectionPlan, rule: ResolvedRule, random: Random) {
    this.#behaviours = behaviours();
    this.#rule = rule;
    this.#random = random;
    this.#days = daysOf(rule);
    join(this.#population, size, shape, random);
    this.#population.commit();
    this.#history = [{ at: START, sent: size, profile: this.#population.profile }];
  }

  run(moment: { readonly day: number; readonly elapsed: number }): Verdict {
    this.complete();
    let isEvent = false;
    for (const behaviour of this.#behaviours)
      isEvent = behaviour(this.#population, moment, this.#random) || isEvent;
    const at = START + moment.day * DAY_MS;
    const { compared, profile } = this.#population;
    const findings = findingsOf(
      { compared, profile, history: this.#history, unclear: [], now: at },
      this.#rule,
    );
    this.#next = { past: { at, sent: compared.sent, profile }, findings };
    if (moment.day - (this.#marks.at(-1)?.day ?? Number.NEGATIVE_INFINITY) >= 7) {
      this.#marks.push({ day: moment.day, joined: this.#population.joined, left: this.#population.left });
      this.#marks = this.#marks.filter(({ day }) => moment.day - day <= RECENT_DAYS);
    }
    const heldBySum = this.#sumOfRemovals(at, compared.gone, compared.known);
    return { findings, isEvent, heldBySum, heldByRemovals: isHeldByRemovals(compared) };
  }

  /** Completes the run, if it is not completed yet. */
  complete(): void {
    if (this.#next === undefined) return;
    const { past, findings } = this.#next;
    this.#history = remembered(this.#history, past, findings, this.#days);
    this.#population.commit();
    this.#next = undefined;
  }

  /** Plays a disaster in place of the run, without consequences for the runs that follow. */
  suffer(disaster: Disaster, period: number, random: Random): Outcome {
    const { compared, joined, left } = this.#population;
    const profile = this.#next?.past.profile ?? this.#population.profile;
    const then = this.#marks[0] ?? { joined, left };
    const scene = {
      truth: { sent: compared.sent, kept: compared.kept, profile },
      known: compared.known,
      recent: { joined: joined - then.joined, left: left - then.left },
    };
    const { snapshots, damage } = disaster.play(scene, random);
    let { known } = compared;
    let history = this.#history;
    let now = this.#next?.past.at ?? START;
    let heldByRemovals = false;
    let rules: readonly string[] = [];
    for (const { sent, kept, profile: sentProfile } of snapshots) {
      const facts = comparisonOf({ known, sent, kept });
      heldByRemovals ||= isHeldByRemovals(facts);
      const found = findingsOf(
        { compared: facts, profile: sentProfile, history, unclear: [], now },
        this.#rule,
      );
      if (rules.length === 0) rules = found.map((finding) => finding.rule);
      history = remembered(history, { at: now, sent, profile: sentProfile }, [], this.#days);
      known = sent;
      now += period * DAY_MS;
    }
    return { records: scene.known, isVisible: damage > disaster.visibleFrom, rules, heldByRemovals };
  }

  #sumOfRemovals(at: number, gone: number, known: number): boolean {
    this.#removals.push({ at, gone });
    const first = Math.min(at - this.#days * DAY_MS, this.#removals.at(-LAST_RUNS)?.at ?? at);
    while ((this.#removals[0]?.at ?? at) < first) this.#removals.shift();
    const sum = this.#removals.reduce((total, removal) => total + removal.gone, 0);
    const isHeld = sum >= 5 && sum / known > 0.25;
    if (isHeld) this.#removals = [];
    return isHeld;
  }
}

/** The one rule of the guard before there was a history. */
function isHeldByRemovals({ known, sent, gone }: { known: number; sent: number; gone: number }): boolean {
  return gone > 0 && (sent === 0 || (gone >= 3 && gone / known > 0.25));
}
