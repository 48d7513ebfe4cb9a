/** What must be true of runs: when they call their connector and the service, and what the ledger knows about each. */
import { BatchStateError, RunHeldError, RunOutdatedError } from "@saas-management/sdk";
import { falseWatermark } from "./managed-run.js";
import type { ObservedBatch, ObservedExtraction, ObservedRun } from "./observation.js";
import type { ModelBatch } from "./service-model.js";
import type { Simulated } from "./simulate.js";

export function brokenRunRules(simulated: Simulated): string[] {
  const { observation, service } = simulated;
  const { runs } = observation;
  return [
    ...runs.flatMap(earlyCalls),
    ...runs.flatMap((run) => heldLocks(run, simulated)),
    ...runs.flatMap((run) => needlessCalls(run, runs)),
    ...runs.flatMap((run) => lateJudgements(run, simulated)),
    ...runs.flatMap((run) => lateWrites(run, service.batches)),
    ...runs.flatMap((run) => wrongReceipts(run, simulated)),
    ...stepsBack(simulated),
    ...wrongLedgers(simulated),
    ...observation.falseWatermarks,
  ];
}

/** A run makes no call to the service while its connector works, or if the run sends nothing. */
function earlyCalls(run: ObservedRun): string[] {
  const { conduct, error, extractions, batches } = run;
  return extractions.flatMap((extraction, index) => {
    const isLast = index === extractions.length - 1;
    const isRefused = extraction.threw || hasFailed(extraction) || error instanceof RunHeldError;
    const until = isLast && isRefused ? run.ended : Math.min(extraction.ended, run.ended);
    return conduct.calls
      .filter(({ at, operation, batchId }) => {
        const isOfRun = operation === "StartSyncBatch" || batches.some(({ id }) => id === batchId);
        return at > extraction.begun && at < until && isOfRun;
      })
      .map(({ operation }) => `${operation} was called before everything was read and judged`);
  });
}

function hasFailed({ writes, late }: ObservedExtraction): boolean {
  return writes.some(({ outcome }) => outcome === "failed") && late === Number.POSITIVE_INFINITY;
}

/** No batch of a run holds the lock while its connector works. */
function heldLocks({ extractions, batches }: ObservedRun, { locks }: Simulated): string[] {
  return extractions
    .map(({ lockedBy }) => lockedBy)
    .filter((id) => batches.some((batch) => batch.id === id))
    .filter((id) => id !== undefined && !locks.some(({ failedAborts }) => failedAborts.has(id)))
    .map((id) => `${id} held the lock while the connector of its run was called`);
}

/** A connector is called once, and a run is outdated only if an overlapping run has started a batch. */
function needlessCalls(run: ObservedRun, runs: readonly ObservedRun[]): string[] {
  const { extractions, batches, restarts, error, judging } = run;
  const found: string[] = [];
  if (extractions.length > 1) found.push(`a connector was called ${extractions.length} times`);
  if (restarts === 0 && batches.length > 1) found.push(`a run has started ${batches.length} batches`);
  if (!(error instanceof RunOutdatedError)) return found;
  const others = runs.filter((other) => other !== run && other.judging !== undefined);
  const isChanged = others.some(
    (other) => other.ended > run.begun && other.begun < run.ended && other.batches.length > 0,
  );
  if (judging === undefined || !isChanged)
    found.push("a run was given up as outdated, and no other run was in between");
  return found;
}

/** If another run completes while a snapshot is read, the snapshot is outdated and is neither judged nor held. */
function lateJudgements(run: ObservedRun, { observation, service }: Simulated): string[] {
  if (run.judging === undefined) return [];
  return run.extractions
    .filter(({ judged }) => Number.isFinite(judged))
    .filter(({ begun, ended }) =>
      observation.runs.some(
        (other) =>
          other !== run &&
          meet(run, other) &&
          other.receipt !== undefined &&
          other.ended < ended &&
          (completedAt(other.receipt.batchId, service.batches) ?? 0) > begun,
      ),
    )
    .map(() => "a run was judged by what it had read before another one was completed");
}

/** A write after the connector has returned is refused, and from then on the run sends no completion. */
function lateWrites({ extractions, batches, conduct }: ObservedRun, all: readonly ModelBatch[]): string[] {
  return extractions.flatMap((extraction) => {
    const late = Number.isFinite(extraction.late) ? extraction.writes.at(-1) : undefined;
    if (late === undefined) return [];
    if (late.outcome === "failed" && !(late.error instanceof BatchStateError))
      return [`a write that came too late failed with ${late.error}`];
    if (late.outcome === "done") return ["a write that came too late was taken in"];
    return batches
      .filter((batch) => batch.extraction === extraction && completedAt(batch.id, all) !== undefined)
      .filter(({ id }) => {
        const sent = conduct.calls.find(
          ({ operation, batchId }) => operation === "CompleteSyncBatch" && batchId === id,
        );
        return sent === undefined || sent.at > extraction.late;
      })
      .map(({ id }) => `${id} was completed, and a write came before that`);
  });
}

/** A receipt shows what the service has, and every completed run has a receipt. */
function wrongReceipts(run: ObservedRun, { service }: Simulated): string[] {
  const { receipt, batches, conduct, extractions, restarts } = run;
  const last = batches.at(-1);
  const sent = (id: string) =>
    conduct.calls.some(({ operation, batchId }) => operation === "CompleteSyncBatch" && batchId === id);
  const missed = batches.filter(
    ({ id }) => id !== receipt?.batchId && conduct.foundCompleted.has(id) && sent(id) && !run.killed,
  );
  const found = missed.map(({ id }) => `${id} is completed, its run was told so, and did not believe it`);
  if (receipt === undefined || last?.extraction === undefined) return found;
  if (receipt.batchId !== last.id) found.push(`${last.id} is the last batch, and not that of the receipt`);
  if (
    (restarts === 0 && receipt.restarts > 0) ||
    receipt.restarts + 1 < Math.max(extractions.length, batches.length)
  )
    found.push(`the receipt of ${last.id} counts ${receipt.restarts} restarts`);
  const { writes } = last.extraction;
  for (const collection of new Set(writes.map((write) => write.collection))) {
    const own = writes.filter((write) => write.collection === collection && write.outcome === "done");
    const records = own.reduce((sum, { keys }) => sum + keys.length, 0);
    const { accepted = 0, alreadyAccepted = 0 } = receipt.collections[collection]?.stats ?? {};
    if (accepted + alreadyAccepted !== records)
      found.push(
        `the receipt of ${last.id} has ${accepted} and ${alreadyAccepted} of ${records} records of ${collection}`,
      );
    const there = new Set(service.batches.flatMap(({ applied }) => applied.flatMap(({ labels }) => labels)));
    const labels = own.flatMap(({ label, keys }) => keys.map((_, index) => `${label}#${index}`));
    const lost = labels.filter((label) => !there.has(label)).length;
    if (lost > 0) found.push(`${lost} records of ${collection} are lost, and ${last.id} tells nothing of it`);
  }
  return found;
}

/** A run never completes data that is older than what another run of the same ledger has read and sent. */
function stepsBack({ observation, service }: Simulated): string[] {
  const completed = service.batches.flatMap(({ id, completedAt: at }) => {
    const batch = observation.batches.find((one) => one.id === id);
    const run = batch?.extraction?.run;
    return at !== undefined && batch !== undefined && run !== undefined ? [{ ...batch, run }] : [];
  });
  return completed.flatMap((batch, index) =>
    completed
      .slice(0, index)
      .filter((earlier) => earlier.run !== batch.run && meet(earlier.run, batch.run))
      .filter((earlier) => (batch.extraction?.begun ?? 0) < sentAt(earlier))
      .map(({ id }) => `${batch.id} was completed after ${id}, and was read before that was sent`),
  );
}

/** When the last records of a batch were accepted; the ledger stores the batch's ids later. */
function sentAt({ id, extraction }: ObservedBatch): number {
  const streams = extraction?.run.conduct.streams.get(id) ?? [];
  return Math.max(0, ...streams.filter(({ accepted }) => accepted).map(({ endedAt }) => endedAt));
}

/** The service has completed every snapshot that the ledger calls completed, including the latest one. */
function wrongLedgers({ known, observation, service }: Simulated): string[] {
  if (typeof known === "string") return [known];
  const found: string[] = [];
  const batches = service.batches
    .filter(({ completedAt: at }) => at !== undefined)
    .flatMap(({ id }) => observation.batches.find((batch) => batch.id === id) ?? [])
    .filter(({ extraction }) => extraction?.run.judging !== undefined);
  for (const collection of ["accounts", "licenses"] as const) {
    const idsOf = ({ writes }: ObservedBatch) =>
      writes.filter((write) => write.collection === collection).map(({ keys }) => setOf(keys));
    const completed = batches.flatMap(idsOf);
    const sets = known.snapshots.filter((one) => one.collection === collection);
    const last = completed.at(-1);
    for (const { state, ids } of sets)
      if (state === "completed" && !completed.includes(setOf(ids)))
        found.push(`the ledger has ${setOf(ids)} for completed ${collection}, and the service never had`);
    if (last !== undefined && !sets.some(({ ids }) => setOf(ids) === last))
      found.push(`the service has completed the ${collection} ${last}, and the ledger does not know it`);
  }
  const { usage } = known;
  if (usage === undefined) return found;
  if (!batches.some(({ extraction }) => extraction?.advanced === usage))
    found.push(`the watermark is ${usage}, and no run was completed that advanced to it`);
  return [...found, ...falseWatermark(Number(usage), service)];
}

function setOf(ids: readonly string[]): string {
  return [...new Set(ids)].sort().join(" ");
}

/** Whether two runs share a ledger and write a snapshot of the same collection. */
function meet(one: ObservedRun, other: ObservedRun): boolean {
  const names = other.snapshots.map(({ collection }) => collection);
  const isShared = one.snapshots.some(({ collection }) => names.includes(collection));
  return one.judging !== undefined && other.judging !== undefined && isShared;
}

function completedAt(id: string, batches: readonly ModelBatch[]): number | undefined {
  return batches.find((batch) => batch.id === id)?.completedAt;
}
