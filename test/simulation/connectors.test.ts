/**
 * Random connectors of one installation run over the wire against the reference server, with drifting sources,
 * clean-ups, disasters, approvals and passing days. After each run, an oracle that knows only the promises of
 * docs/guides/snapshot-safety.md says whether the guard must have held it, and which holds must remain.
 */
import { RunHeldError, type Store, storeLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { openLedger } from "../../src/runs/ledger/ledger.js";
import { noteApproved } from "../../src/runs/ledger/notes.js";
import { memoryStore } from "../../src/runs/ledger/store.js";
import { decodeValue, encodeValue, type Fields } from "../../src/runs/ledger/value.js";
import { recordsOf, type Snapshot, usage } from "../support/records.js";
import { testService } from "../support/test-service.js";

const service = testService();
const DAY_MS = 24 * 60 * 60_000;
const STEPS = 30;
const SEEDS = [1, 2, 3, 4, 5, 6];
const NAMES = ["accounts", "plans", "employees"] as const;
/** Two connectors with one collection each, one with two collections, and an hourly one with events. */
const CONNECTORS: readonly (readonly Snapshot[])[] = [
  ["accounts"],
  ["plans", "employees"],
  ["accounts", "employees"],
  [],
];
/** The share of records that may go missing. Ordinary drift is far below this share; disasters are far above it. */
const RULE = { removed: { maxShare: 0.25, min: 4 }, added: false, window: false, changed: false } as const;

type Ids = ReadonlySet<string>;

interface Hold {
  readonly id: string;
  readonly ids: Ids;
  expiresAt: number;
}

interface Known {
  completed: Ids;
  held?: Hold | undefined;
  approved?: Hold | undefined;
}

function random(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Whether a run with the ids `now` may follow one with the ids `before`. */
function mayFollow(before: Ids, now: Ids): boolean {
  const gone = [...before].filter((id) => !now.has(id)).length;
  return gone < RULE.removed.min || gone / before.size <= RULE.removed.maxShare;
}

/** Decides from the promises alone which runs must be held, and which holds must remain. */
class Oracle {
  readonly known = new Map<Snapshot, Known>();

  /** @returns the collections that must be held, and whether they may reuse the id of an earlier held run */
  run(sent: ReadonlyMap<Snapshot, Ids>, approve: string | undefined, now: number) {
    const held: Snapshot[] = [];
    for (const [name, ids] of sent) {
      const known = this.known.get(name);
      if (known === undefined || mayFollow(known.completed, ids)) continue;
      const covering = [known.held?.id === approve ? known.held : undefined, known.approved];
      if (!covering.some((hold) => hold && this.#covers(hold, known, ids, now))) held.push(name);
    }
    if (held.length > 0) return held;
    for (const [name, completed] of sent) this.known.set(name, { completed });
    return [];
  }

  /** Notes that a run was reported as held. @returns whether the run may have this id */
  hold(
    held: readonly Snapshot[],
    sent: ReadonlyMap<Snapshot, Ids>,
    id: string,
    approve: string | undefined,
    now: number,
  ) {
    const same = held.map((name) => {
      const known = this.known.get(name);
      const waits = known?.held?.id === approve ? undefined : known?.held;
      return waits && known && this.#covers(waits, known, sent.get(name) ?? new Set(), now)
        ? waits.id
        : undefined;
    });
    const [known] = new Set(same).size === 1 ? same : [];
    this.approve(approve);
    const expiresAt = now + 7 * DAY_MS;
    for (const name of held) {
      const one = this.known.get(name);
      if (one === undefined) continue;
      const ids = known === undefined ? sent.get(name) : one.held?.ids;
      one.held = { id, ids: ids ?? new Set(), expiresAt };
      if (one.approved !== undefined && one.approved.expiresAt <= now) one.approved = undefined;
    }
    // A run that is held again under the same id also extends its holds in other collections.
    for (const one of this.known.values())
      for (const hold of [one.held, one.approved]) if (hold?.id === id) hold.expiresAt = expiresAt;
    return known === undefined || known === id;
  }

  approve(id: string | undefined): void {
    for (const one of this.known.values()) {
      if (one.held === undefined || one.held.id !== id) continue;
      one.approved = one.held;
      one.held = undefined;
    }
  }

  get standing(): string[] {
    return NAMES.flatMap((name) => {
      const { held, approved } = this.known.get(name) ?? {};
      return [held && `${name} waits`, approved && `${name} is approved`].flatMap((text) => text ?? []);
    });
  }

  get ids(): string[] {
    return [...new Set([...this.known.values()].flatMap(({ held }) => held?.id ?? []))];
  }

  /** Whether a run may follow all ids of the held run, and also only those of them that the completed run had. */
  #covers({ ids, expiresAt }: Hold, { completed }: Known, now: Ids, time: number): boolean {
    const left = new Set([...completed].filter((id) => ids.has(id)));
    return expiresAt > time && mayFollow(ids, now) && mayFollow(left, now);
  }
}

/** Each collection's source: most days a few records leave and join; now and then most of them vanish or return. */
class Source {
  readonly #all = new Map<Snapshot, { ids: string[]; hidden: number }>();
  readonly #below: (below: number) => number;
  #next = 0;

  constructor(below: (below: number) => number) {
    this.#below = below;
    for (const name of NAMES) this.#all.set(name, { ids: this.#new(40), hidden: 0 });
  }

  read(name: Snapshot): Ids {
    const source = this.#all.get(name) ?? { ids: [], hidden: 0 };
    source.ids = [...source.ids.slice(this.#below(2)), ...this.#new(this.#below(2))];
    if (this.#below(4) === 0) source.hidden = source.hidden === 0 ? 20 + this.#below(3) : 0;
    return new Set(source.ids.slice(source.hidden));
  }

  #new(count: number): string[] {
    return Array.from({ length: count }, () => `u${this.#next++}`);
  }
}

type State = Readonly<Record<string, unknown>>;

/** A store that changes each new state of a ledger, as a bug in the ledger's code would. */
function plantedStore(change: (state: State, before: State | undefined) => State): Store {
  const below = memoryStore();
  let before: State | undefined;
  return {
    ...below,
    putIfAbsent: async (key, value) => {
      if (!/\/state\.\d+$/.test(key)) return below.putIfAbsent(key, value);
      let fields: Fields = {};
      for await (const piece of decodeValue(value, key, key)) fields = piece.fields;
      const changed = change(fields, before);
      before = changed;
      return below.putIfAbsent(key, encodeValue(key, changed));
    },
  };
}

/** @returns a description of the first step at which a run or the ledger contradicts the oracle */
async function firstDifference(seed: number, store: Store): Promise<string | undefined> {
  const below = random(seed);
  const { clock, server } = service;
  const installationId = server.createInstallation();
  const ledger = storeLedger(store);
  const scope = { endpoint: new URL(server.syncUrl).origin, installationId };
  const sync = service.syncClient();
  const source = new Source(below);
  const oracle = new Oracle();
  let isFirst = true;
  const run = async (names: readonly Snapshot[], approve?: string) => {
    const sent = new Map(names.map((name) => [name, source.read(name)] as const));
    const must = oracle.run(sent, approve, clock.now());
    const options = { installationId, ledger, approve, guard: RULE, firstRun: isFirst };
    isFirst = false;
    const ended = await sync
      .run(
        {
          snapshots: names,
          run: async (batch, { advance }) => {
            for (const [name, ids] of sent) await batch.write(name, recordsOf(name, [...ids]));
            await batch.write("usage", [usage("e", new Date(clock.now()))]);
            advance("usage", String(clock.now()));
          },
        },
        options,
      )
      .catch((error: unknown) => error);
    if (!(ended instanceof RunHeldError)) return must.length === 0 && !(ended instanceof Error);
    const held = [...new Set(ended.report.reasons.map(({ collection }) => collection))];
    const mayHaveId = oracle.hold(must, sent, ended.report.approval?.id ?? "", approve, clock.now());
    return held.sort().join() === [...must].sort().join() && mayHaveId;
  };
  await run(NAMES);
  for (let step = 1; step <= STEPS; step += 1) {
    const { ids } = oracle;
    const id = ids[below(Math.max(1, ids.length))];
    const kind = below(6);
    let isRight = true;
    if (kind === 0) clock.advance(below(4) * DAY_MS);
    else if (kind === 1 && id !== undefined) {
      await noteApproved(openLedger(ledger, scope, { clock, timeoutMs: 60_000 }), id);
      oracle.approve(id);
    } else isRight = await run(CONNECTORS[below(4)] ?? [], kind === 2 ? id : undefined);
    const { held } = await sync.history({ installationId, ledger });
    const standing = held.flatMap(({ reasons, approval, isApproved }) =>
      [...new Set(reasons.map(({ collection }) => collection))].map(
        (name) => [name, approval.id, isApproved] as const,
      ),
    );
    const found = NAMES.flatMap((name) => {
      const of = standing.filter(([collection]) => collection === name).map(([, at]) => at);
      const { held: waits, approved } = oracle.known.get(name) ?? {};
      const wanted = [waits?.id, approved?.id].flatMap((one) => one ?? []);
      return [...of].sort().join() === wanted.sort().join() ? [] : [`${name}: ${of} for ${wanted}`];
    });
    if (!isRight || found.length > 0)
      return `seed ${seed}, step ${step}: ${isRight ? found.join("; ") : "held or completed wrongly"}`;
  }
  return undefined;
}

test.each(SEEDS)("several connectors keep every promise (seed %i)", async (seed) => {
  expect(await firstDifference(seed, memoryStore())).toBeUndefined();
});

const without = (state: State, which: "held" | "approved"): State => {
  const all = Object.entries(state["collections"] ?? {}).map(([name, one]) => [
    name,
    { ...one, [which]: undefined },
  ]);
  return { ...state, collections: Object.fromEntries(all) };
};
const runsOf = (state: State | undefined) => JSON.stringify(state?.["runs"] ?? []);

test.each<readonly [string, Parameters<typeof plantedStore>[0]]>([
  [
    "any completed run ends all holds",
    (state, before) => (runsOf(state) === runsOf(before) ? state : without(state, "held")),
  ],
  [
    "any completed run ends all approvals",
    (state, before) => (runsOf(state) === runsOf(before) ? state : without(state, "approved")),
  ],
  [
    "a run that is held ends what was approved",
    (state, before) => (runsOf(state) === runsOf(before) ? without(state, "approved") : state),
  ],
])("the oracle notices if %s", async (_, change) => {
  for (const seed of SEEDS) if ((await firstDifference(seed, plantedStore(change))) !== undefined) return;
  throw new Error("No run showed it.");
});
