/**
 * The guard's promises, from the service's side: what its batches have become, whatever the SDK was told. Written apart
 * from the guard, so that the two check each other.
 */
import { RunHeldError } from "@saas-management/sdk";
import { GUARD } from "./managed-run.js";
import type { ObservedRun, SentSnapshot } from "./observation.js";
import type { Simulated } from "./simulate.js";

const DAY_MS = 24 * 60 * 60_000;

/** A snapshot that the service has completed. */
interface Done extends SentSnapshot {
  readonly run: ObservedRun;
  /** Whether its run knows that. */
  readonly known: boolean;
  /** Whether it broke a rule, which was approved. */
  readonly approved: boolean;
}

interface Broken {
  readonly collection: string;
  readonly rule: string;
}

export function brokenGuardRules(simulated: Simulated): string[] {
  const { observation, service } = simulated;
  const found: string[] = [...observation.falseWatermarks];
  const done: Done[] = [];
  const used = new Set<string>();
  const completed = service.batches.filter(({ state }) => state === "completed").map(({ id }) => id);
  for (const [index, run] of observation.runs.entries()) {
    const before = observation.runs.slice(0, index);
    const isDone = run.batchIds.some((id) => completed.includes(id));
    const findings = run.snapshots.flatMap((snapshot) => rulesBrokenBy(snapshot, run, done));
    const isFirst = !before.some((earlier) => mayBeRemembered(earlier, simulated));
    if (isFirst && run.snapshots.length > 0 && !run.judging.firstRun)
      findings.push({ collection: "", rule: "no-baseline" });
    if (isDone && run.judging.guarded) found.push(...unapproved(run, findings, before, used));
    if (!isDone) found.push(...heldForNothing(run, findings, simulated));
    if (isDone && run.error === undefined && run.approve !== undefined) used.add(run.approve);
    if (!isDone) continue;
    for (const snapshot of run.snapshots) {
      const broke = findings.some(({ collection }) => collection === snapshot.collection);
      const approved = run.approve !== undefined && run.judging.guarded && broke;
      done.push({ ...snapshot, run, known: run.error === undefined, approved });
    }
  }
  return found;
}

/** Whether the ledger has to know a run: it was completed, or its outcome was unknown to it. */
function mayBeRemembered(
  { batchIds, error, snapshots }: ObservedRun,
  { service, fired }: Simulated,
): boolean {
  if (snapshots.length === 0 || batchIds.length === 0) return false;
  const isDone = service.batches.some(({ id, state }) => state === "completed" && batchIds.includes(id));
  return isDone || (fired.length > 0 && error !== undefined && !(error instanceof RunHeldError));
}

/** The rules that completing a snapshot breaks, as far as that is certain. */
function rulesBrokenBy(
  { collection, ids, shape }: SentSnapshot,
  { at }: ObservedRun,
  done: readonly Done[],
): Broken[] {
  const past = done.filter((one) => one.collection === collection);
  const last = past.at(-1);
  if (last === undefined) return [];
  const found: Broken[] = [];
  const broken = (rule: string, isBroken: boolean) => {
    if (isBroken) found.push({ collection, rule });
  };
  const kept = [...last.ids].filter((id) => ids.has(id)).length;
  const gone = last.ids.size - kept;
  const { removed, added, window, emptied, flipped } = GUARD;
  broken(
    "removed",
    (gone >= removed.min && gone > removed.maxShare * last.ids.size) ||
      (gone > 0 && (ids.size === 0 || (kept === 0 && last.ids.size >= 2))),
  );
  const fresh = ids.size - kept;
  broken("added", last.ids.size > 0 && fresh > Math.max(added.min, added.maxShare * last.ids.size));
  // Since the last approval that may have cleared the history, and as far as the ledger heard of it.
  const since = past.findLastIndex(({ approved }) => approved);
  const known = past.filter(({ known: isKnown }) => isKnown);
  const near = past
    .slice(Math.max(0, since))
    .filter(
      (one) =>
        one.known && (known.indexOf(one) >= known.length - 8 || at - one.run.at < window.days * DAY_MS),
    );
  const most = Math.max(0, ...near.map((one) => one.ids.size));
  broken("window", most - ids.size >= window.min && most - ids.size > window.maxShare * most);
  const hadFields = near.filter((one) => one.shape === "full" || one.shape === "flipped");
  const lost = Math.max(0, ...hadFields.map((one) => one.ids.size));
  broken("emptied", collection === "accounts" && shape === "emptied" && ids.size > 0 && lost >= emptied.min);
  const actives = known.filter((one) => one.shape !== undefined && one.ids.size >= flipped.min);
  broken(
    "flipped",
    collection === "accounts" &&
      ids.size >= flipped.min &&
      actives.length > 0 &&
      actives.every((one) => (one.shape === "flipped") !== (shape === "flipped")),
  );
  return found;
}

/** What a completed run broke without somebody having approved exactly that, once. */
function unapproved(
  { approve, batchIds }: ObservedRun,
  findings: readonly Broken[],
  before: readonly ObservedRun[],
  used: ReadonlySet<string>,
): string[] {
  const shown = approve === undefined ? [] : shownWith(approve, before);
  return findings.flatMap(({ collection, rule }) => {
    const name = `${batchIds.at(-1)} was completed, and breaks the rule ${rule} of ${collection}`;
    if (approve === undefined) return [name];
    if (used.has(approve)) return [`${name}; its approval was used before`];
    // What removes too much is said to be either.
    const isShown = shown.some(
      (one) =>
        (collection === "" || one.collection === collection) &&
        (one.rule === rule || one.rule === "no-baseline" || (rule === "window" && one.rule === "removed")),
    );
    return isShown ? [] : [`${name}, which was not approved`];
  });
}

/** What an approval was offered for, with what was approved before in the run that got the offer. */
function shownWith(approve: string, runs: readonly ObservedRun[]): Broken[] {
  return runs.flatMap(({ error, approve: earlier }, index) => {
    if (!(error instanceof RunHeldError) || error.report.approval?.id !== approve) return [];
    const inherited =
      earlier === undefined || earlier === approve ? [] : shownWith(earlier, runs.slice(0, index));
    return [...error.report.reasons, ...inherited];
  });
}

/** Without a fault, a run is held for what it breaks. */
function heldForNothing(
  { error, batchIds }: ObservedRun,
  findings: readonly Broken[],
  { fired }: Simulated,
): string[] {
  if (!(error instanceof RunHeldError) || fired.length > 0) return [];
  const { reasons } = error.report;
  const wrong = reasons.filter(
    ({ collection, rule }) =>
      !findings.some((one) => one.rule === rule && (one.collection === "" || one.collection === collection)),
  );
  return wrong.map(
    ({ collection, rule }) => `${batchIds.at(-1)} was held for ${rule} of ${collection}, which it keeps`,
  );
}
