/**
 * The guard's promises, checked against how the service's batches really ended, no matter what the SDK was told. This
 * shares no code with the guard, so that each checks the other.
 */
import { RunHeldError } from "@saas-management/sdk";
import { GUARD } from "./managed-run.js";
import type { ObservedRun, WrittenSnapshot } from "./observation.js";
import type { Simulated } from "./simulate.js";

const DAY_MS = 24 * 60 * 60_000;

/** A snapshot that the service has completed. */
interface Done extends WrittenSnapshot {
  readonly run: ObservedRun;
  /** Whether the run learned that it was completed, and told the ledger before a later run was judged. */
  known: boolean;
  /** Whether the snapshot broke a rule, but was approved. */
  readonly approved: boolean;
}

interface Broken {
  readonly collection: string;
  readonly rule: string;
}

/** How a run was decided: the service completed one of its batches or, if it completed none, the guard judged it. */
interface Decision {
  readonly run: ObservedRun;
  readonly batchId: string | undefined;
  readonly at: number;
}

export function brokenGuardRules(simulated: Simulated): string[] {
  const found: string[] = [];
  const done: Done[] = [];
  /** Pairs of an approval and a collection: some run used that approval to complete that collection. */
  const used = new Set<string>();
  const all = decisionsOf(simulated);
  for (const [index, { run, batchId }] of all.entries()) {
    const { approve, judging, snapshots, receipt } = run;
    const before = all.slice(0, index).map((decision) => decision.run);
    const findings = snapshots.flatMap((snapshot) => rulesBrokenBy(snapshot, run, done));
    const isFirst = !before.some((earlier) => mayBeRemembered(earlier, simulated));
    if (isFirst && snapshots.length > 0 && judging?.firstRun !== true)
      findings.push({ collection: "", rule: "no-baseline" });
    if (batchId === undefined) {
      found.push(...heldForNothing(run, findings, simulated));
      continue;
    }
    const isGuarded = judging?.guarded === true;
    if (isGuarded) found.push(...unapproved(run, findings, before, used, simulated));
    if (approve !== undefined && receipt?.batchId === batchId && !run.killed)
      for (const { collection } of snapshots) used.add(`${approve} ${collection}`);
    const judged = run.extractions.at(-1)?.judged ?? 0;
    for (const earlier of done) earlier.known &&= earlier.run.ended < judged;
    for (const snapshot of snapshots) {
      const broke = findings.some(({ collection }) => collection === snapshot.collection);
      const approved = approve !== undefined && isGuarded && broke;
      done.push({ ...snapshot, run, known: receipt !== undefined && !run.killed, approved });
    }
  }
  return found;
}

/** Decisions in order. Only one run at a time holds the lock, so each run knows the runs completed before it. */
function decisionsOf({ observation, service }: Simulated): Decision[] {
  return observation.runs
    .flatMap((run): Decision[] => {
      if (run.judging === undefined) return [];
      const completed = service.batches.flatMap(({ id, completedAt }) =>
        completedAt !== undefined && run.batches.some((batch) => batch.id === id)
          ? [{ run, batchId: id, at: completedAt }]
          : [],
      );
      const judged = run.extractions.at(-1)?.judged ?? run.ended;
      return completed.length > 0
        ? completed
        : [{ run, batchId: undefined, at: Math.min(judged, run.ended) }];
    })
    .sort((a, b) => a.at - b.at);
}

/** Whether the ledger may remember a run, because it was completed or because its outcome is unknown. */
function mayBeRemembered({ batches, error, snapshots }: ObservedRun, { service, fired }: Simulated): boolean {
  if (snapshots.length === 0 || batches.length === 0) return false;
  const isDone = batches.some(({ id }) =>
    service.batches.some((batch) => batch.id === id && batch.state === "completed"),
  );
  return isDone || (fired.length > 0 && error !== undefined && !(error instanceof RunHeldError));
}

/** The rules that completing a snapshot would certainly break. */
function rulesBrokenBy(
  { collection, ids }: WrittenSnapshot,
  { judgedAtMs: at }: ObservedRun,
  done: readonly Done[],
): Broken[] {
  const past = done.filter((one) => one.collection === collection);
  const last = past.at(-1);
  if (last === undefined) return [];
  const found: Broken[] = brokenBeside(last.ids, ids).map((rule) => ({ collection, rule }));
  // Of the snapshots that the ledger knows, those before the last approved one don't count: the ledger may clear them.
  const since = past.findLastIndex(({ approved }) => approved);
  const known = past.filter(({ known: isKnown }) => isKnown);
  const near = past
    .slice(Math.max(0, since))
    .filter(
      (one) =>
        one.known &&
        (known.indexOf(one) >= known.length - 8 || at - one.run.judgedAtMs < window.days * DAY_MS),
    );
  const most = Math.max(0, ...near.map((one) => one.ids.size));
  const { window } = GUARD;
  if (most - ids.size >= window.min && most - ids.size > window.maxShare * most)
    found.push({ collection, rule: "window" });
  return found;
}

/** The rules that a snapshot breaks compared with another one. */
function brokenBeside(known: ReadonlySet<string>, ids: ReadonlySet<string>): ("removed" | "added")[] {
  const { removed, added } = GUARD;
  const kept = [...known].filter((id) => ids.has(id)).length;
  const gone = known.size - kept;
  const isMuchGone = gone >= removed.min && gone > removed.maxShare * known.size;
  const isAllGone = gone > 0 && (ids.size === 0 || (kept === 0 && known.size >= 2));
  const fresh = ids.size - kept;
  const isDoubled = known.size >= 3 && fresh >= known.size;
  const isGrown = known.size > 0 && fresh > added.maxShare * known.size && (fresh > added.min || isDoubled);
  return [...(isMuchGone || isAllGone ? ["removed" as const] : []), ...(isGrown ? ["added" as const] : [])];
}

/** The rules that a completed run broke, except those that an unused approval covered. */
function unapproved(
  run: ObservedRun,
  findings: readonly Broken[],
  before: readonly ObservedRun[],
  used: ReadonlySet<string>,
  { observation }: Simulated,
): string[] {
  const { batches, snapshots } = run;
  // An approval stays in the ledger until its collections are completed, so it can also let another process's run pass.
  const begun = observation.runs.filter((other) => other.begun < run.ended);
  const given = begun.flatMap((other) => other.approve ?? []);
  return findings.flatMap(({ collection, rule }) => {
    const name = `${batches.at(-1)?.id} was completed, and breaks the rule ${rule} of ${collection}`;
    const isUsed = (id: string) =>
      snapshots.every(({ collection: own }) => !["", own].includes(collection) || used.has(`${id} ${own}`));
    const approvals = given.filter((id) => !isUsed(id));
    if (approvals.length === 0) return [given.length === 0 ? name : `${name}; its approval was used before`];
    const shown = approvals.flatMap((id) => shownWith(id, before));
    const ids = snapshots.find((one) => one.collection === collection)?.ids;
    const held = approvals.flatMap((id) => heldIds(id, collection, before));
    // A run that breaks no rule compared with an approved run passes, even if it breaks some compared with others.
    if (ids !== undefined && held.some((known) => brokenBeside(known, ids).length === 0)) return [];
    // If a run removes too much, the report may name either rule.
    const isShown = shown.some(
      (one) =>
        (collection === "" || one.collection === collection) &&
        (one.rule === rule || one.rule === "no-baseline" || (rule === "window" && one.rule === "removed")),
    );
    return isShown ? [] : [`${name}, which was not approved`];
  });
}

/** The ids of a collection in the first run that was held with this approval id: later runs don't replace these ids. */
function heldIds(approve: string, collection: string, runs: readonly ObservedRun[]): ReadonlySet<string>[] {
  const first = runs.find(
    ({ error }) => error instanceof RunHeldError && error.report.approval?.id === approve,
  );
  return (first?.snapshots ?? []).filter((one) => one.collection === collection).map(({ ids }) => ids);
}

/** The reasons why an approval was offered, and those that were already approved for the held run. */
function shownWith(approve: string, runs: readonly ObservedRun[]): Broken[] {
  return runs.flatMap(({ error, approve: earlier }, index) => {
    if (!(error instanceof RunHeldError) || error.report.approval?.id !== approve) return [];
    const inherited =
      earlier === undefined || earlier === approve ? [] : shownWith(earlier, runs.slice(0, index));
    return [...error.report.reasons, ...inherited];
  });
}

/** Finds runs that were held without breaking a rule. Applies only without faults and concurrent runs. */
function heldForNothing(
  run: ObservedRun,
  findings: readonly Broken[],
  { fired, crashed, observation }: Simulated,
): string[] {
  const { error } = run;
  if (!(error instanceof RunHeldError) || fired.length > 0 || crashed) return [];
  if (observation.runs.some((other) => other !== run && overlap(other, run))) return [];
  return error.report.reasons
    .filter(
      ({ collection, rule, diff }) =>
        // Whether a number of removals is unusual depends on the whole history in the ledger.
        !(rule === "removed" && diff.removed >= 5 && diff.removed > 0.15 * diff.known) &&
        !findings.some(
          (one) => one.rule === rule && (one.collection === "" || one.collection === collection),
        ),
    )
    .map(({ collection, rule }) => `a run was held for ${rule} of ${collection}, which it keeps`);
}

function overlap(a: ObservedRun, b: ObservedRun): boolean {
  return a.begun < b.ended && b.begun < a.ended;
}
