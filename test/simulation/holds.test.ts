/** Random connectors of one installation note their runs in any order, and an oracle says which holds must remain. */
import { expect, test } from "vitest";
import { withApproved, withCompleted, withHeld } from "../../src/runs/ledger/notes.js";
import { type Baselines, type LedgerState, NOTHING_SEEN } from "../../src/runs/ledger/state.js";

const COLLECTIONS = ["accounts", "groups", "devices"];
const RULES = { withApproved, withCompleted, withHeld };

function random(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const baselines = (subjects: readonly string[], sequence: number, token: string): Baselines =>
  Object.fromEntries(subjects.map((subject) => [subject, { sequence, token, pasts: [] }]));

/** The holds that must remain, judged only by the order of events: each collection's id, and whether it's approved. */
class Oracle {
  readonly #held = new Map<string, { readonly id: string; readonly at: number }>();
  readonly #approved = new Map<string, { readonly id: string; readonly at: number }>();

  hold(subjects: readonly string[], id: string, at: number): void {
    for (const subject of subjects) this.#held.set(subject, { id, at });
  }

  approve(id: string): void {
    for (const [subject, one] of this.#held)
      if (one.id === id) {
        this.#approved.set(subject, one);
        this.#held.delete(subject);
      }
  }

  complete(subjects: readonly string[], storedAt: number): void {
    for (const subject of subjects)
      for (const all of [this.#held, this.#approved])
        if ((all.get(subject)?.at ?? Number.POSITIVE_INFINITY) < storedAt) all.delete(subject);
  }

  get standing() {
    return COLLECTIONS.map((name) => [name, this.#held.get(name)?.id, this.#approved.get(name)?.id]);
  }
}

/** @returns the first step after which the ledger and the oracle differ */
function firstDifference(rules: typeof RULES, seed: number): number | undefined {
  const below = random(seed);
  const oracle = new Oracle();
  let { state }: { state: LedgerState } = NOTHING_SEEN;
  const late: { readonly subjects: readonly string[]; readonly at: number }[] = [];
  const ids: string[] = [];
  for (let step = 1; step <= 60; step += 1) {
    const subjects = COLLECTIONS.filter(() => below(2) === 0);
    const kind = below(5);
    if (kind === 0 && subjects.length > 0) {
      const id = `hold-${step}`;
      ids.push(id);
      const run = { approval: id, at: step, expiresAt: 1000, report: {}, text: "" };
      state = rules.withHeld(state, {
        run,
        baselines: baselines(subjects, step, id),
        approve: undefined,
        now: step,
      });
      oracle.hold(subjects, id, step);
    } else if (kind === 1 && ids.length > 0) {
      const id = ids[below(ids.length)] ?? "";
      state = rules.withApproved(state, id);
      oracle.approve(id);
    } else if (kind === 2) {
      late.push({ subjects, at: step });
    } else if (kind >= 3) {
      // Runs of events complete no collection.
      const noted = kind === 3 ? late.splice(below(late.length + 1), 1)[0] : { subjects, at: step };
      if (noted !== undefined) {
        state = rules.withCompleted(state, baselines(noted.subjects, noted.at, `run-${noted.at}`));
        oracle.complete(noted.subjects, noted.at);
      }
    }
    const found = COLLECTIONS.map((name) => {
      const { held, approved } = state.collections[name] ?? {};
      return [name, held?.token, approved?.token];
    });
    const names = new Set(found.flatMap(([, ...tokens]) => tokens).filter((token) => token !== undefined));
    const listed = new Set(state.held.map(({ approval }) => approval));
    if (
      JSON.stringify(found) !== JSON.stringify(oracle.standing) ||
      [...names].sort().join() !== [...listed].sort().join()
    )
      return step;
  }
  return undefined;
}

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

test("the right holds and approvals remain, no matter in which order connectors hold, approve and complete", () => {
  expect(SEEDS.filter((seed) => firstDifference(RULES, seed) !== undefined)).toEqual([]);
});

const PLANTED: readonly (readonly [string, Partial<typeof RULES>])[] = [
  [
    "a completed run ends all holds",
    {
      withCompleted: (state, completed) => withCompleted({ ...state, held: [], collections: {} }, completed),
    },
  ],
  [
    "a late note ends a later hold",
    {
      withCompleted: (state, completed) => {
        const later = Object.entries(completed).map(([name, one]) => [name, { ...one, sequence: 999 }]);
        return withCompleted(state, Object.fromEntries(later));
      },
    },
  ],
  [
    "a hold drops what was approved",
    {
      withHeld: (state, hold) => {
        const all = Object.entries(state.collections).map(([name, one]) => [
          name,
          { ...one, approved: undefined },
        ]);
        return withHeld({ ...state, collections: Object.fromEntries(all) }, hold);
      },
    },
  ],
];

test.each(PLANTED)("notices if %s", (_, planted) => {
  const differs = (seed: number) => {
    try {
      return firstDifference({ ...RULES, ...planted }, seed) !== undefined;
    } catch {
      return true;
    }
  };
  expect(SEEDS.some(differs)).toBe(true);
});
