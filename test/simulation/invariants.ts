/** What must hold after every program, whatever the faults. Each check says in a sentence what was violated. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  ClosedError,
  SaasManagementError,
} from "@saas-management/sdk/sync";
import { CANARY, isSnapshot } from "./messages.js";
import type { ObservedWrite } from "./observation.js";
import { GaveUp } from "./process.js";
import type { ModelBatch } from "./service-model.js";
import type { Simulated } from "./simulate.js";
import { SourceFailure } from "./source.js";

/** How long a client that is closed waits for a start that was sent. */
const CLOSE_GRACE_MS = 5000;

/** The violations of a simulated program; none is what is wanted. */
export function violations(simulated: Simulated): string[] {
  return [
    ...completionsOfParts(simulated),
    ...wrongAnswers(simulated),
    ...wrongStates(simulated),
    ...lostEvents(simulated),
    ...repeatedEvents(simulated),
    ...wrongOutcomes(simulated),
    ...disorder(simulated),
    ...ghostLocks(simulated),
    ...leftovers(simulated),
    ...strangers(simulated),
    ...leaks(simulated),
  ];
}

/** A completed batch has everything that its writes had, and every write of it was whole. */
function completionsOfParts({ service, observation, undercounted }: Simulated): string[] {
  return service.batches
    .filter(({ state }) => state === "completed")
    .flatMap((batch) => {
      const observed = observation.batches.find(({ id }) => id === batch.id);
      if (observed === undefined) return [`${batch.id} was completed, and nobody has it`];
      return observed.writes.flatMap((write) => {
        if (cameTooLate(write))
          return appliedOf(batch, write).length === 0 ? [] : [`${write.label} came too late`];
        const name = `${batch.id}, completed: write ${write.label} of ${write.collection}`;
        if (!write.whole) return [`${name} was not whole`];
        if (write.outcome !== "done") return [`${name} is ${write.outcome}`];
        if (undercounted.has(batch.id))
          return [`${batch.id}, completed: fewer records were acknowledged than sent`];
        if (
          !batch.applied.some(({ collection }) => collection === write.collection) &&
          isSnapshot(write.collection)
        )
          return [`${name} never arrived, not even as an empty one`];
        // Events that an earlier attempt of the run got accepted are left out.
        const sameRun = observation.batches.filter(({ run }) => run !== undefined && run === observed.run);
        const earlier = isSnapshot(write.collection) ? [] : sameRun.map(({ id }) => id);
        const batches = service.batches.filter(({ id }) => id === batch.id || earlier.includes(id));
        const applied = new Set(batches.flatMap((one) => appliedOf(one, write)));
        const missing = write.keys.filter((_, index) => !applied.has(index));
        return missing.length === 0 ? [] : [`${name} lacks ${missing.join(", ")}`];
      });
    });
}

/** Whether a write was refused because the batch had been completed, or might have been. */
function cameTooLate({ error, afterCompletion }: ObservedWrite): boolean {
  if (error instanceof ClosedError) return afterCompletion;
  return error instanceof BatchStateError && error.reason !== "incomplete";
}

/** What the caller was told of a completion is what the service did. */
function wrongAnswers({ service, observation, clock }: Simulated): string[] {
  return observation.batches.flatMap((observed) => {
    const state = service.stateOf(observed.id, clock.now());
    if (observed.completion === "done" && state !== "completed")
      return [`${observed.id}: complete() resolved, and the batch is ${state}`];
    const { completionError: error } = observed;
    const mayBe =
      observed.completion !== "failed" ||
      // Where a run ended with what is not the SDK's, such as the source's own error, the log tells of an attempt before.
      (!(error instanceof SaasManagementError) &&
        observation.told.some((told) => isUnknownAttempt(told, observed.id))) ||
      error instanceof BatchOutcomeUnknownError ||
      error instanceof ClosedError ||
      (error instanceof BatchStateError && ["unknown", "completed"].includes(error.reason)) ||
      !(error instanceof SaasManagementError);
    if (!mayBe && state === "completed")
      return [`${observed.id}: complete() failed with ${error}, and the batch is completed`];
    return [];
  });
}

/** Whether a log line says that an attempt of a run may have completed its batch. */
function isUnknownAttempt(told: unknown, batchId: string): boolean {
  const details: unknown = Array.isArray(told) ? told[1] : undefined;
  if (typeof details !== "object" || details === null) return false;
  return (
    Reflect.get(details, "batchId") === batchId && Reflect.get(details, "code") === "BATCH_OUTCOME_UNKNOWN"
  );
}

/** A handle that says how its batch ended is right. */
function wrongStates({ service, observation, clock }: Simulated): string[] {
  return observation.batches.flatMap(({ id, handle }) => {
    const state = service.stateOf(id, clock.now());
    const wrong =
      (handle === "completed" && state !== "completed") ||
      (handle === "aborted" && state !== "aborted" && state !== "expired") ||
      ((handle === "active" || handle === "expired") && state === "completed");
    return wrong ? [`${id}: the handle is ${handle}, and the batch is ${state}`] : [];
  });
}

/** Every event whose write is done is there; with an id, once. */
function lostEvents({ service, observation }: Simulated): string[] {
  return observation.batches.flatMap(({ writes }) =>
    writes
      .filter(({ collection, outcome }) => !isSnapshot(collection) && outcome === "done")
      .flatMap(({ collection, keys, label }) => {
        const events = service.events.get(collection);
        const lost = keys.filter((key) => events?.get(key) === undefined);
        return lost.length === 0 ? [] : [`${label}: the events ${lost.join(", ")} of ${collection} are lost`];
      }),
  );
}

/** Where no stream was disturbed, no event without an id is sent twice, by the restarts of a run neither. */
function repeatedEvents({ service, observation, fired, crashed }: Simulated): string[] {
  if (crashed || fired.some(({ operation }) => operation === "SyncRecords")) return [];
  const seen = new Set<string>();
  return service.batches.flatMap((batch) => {
    const { run = batch.id } = observation.batches.find(({ id }) => id === batch.id) ?? {};
    return batch.applied
      .filter(({ hasIds }) => !hasIds)
      .flatMap(({ labels }) => labels)
      .filter((label) => seen.has(`${run} ${label}`) || !seen.add(`${run} ${label}`))
      .map((label) => `${label} was sent twice`);
  });
}

/** What a failed write's error says of its records is what happened to them. */
function wrongOutcomes({ service, observation }: Simulated): string[] {
  return observation.batches.flatMap((observed) => {
    const batch = service.batches.find(({ id }) => id === observed.id);
    return observed.writes.flatMap((write) => {
      const { error, keys, label } = write;
      if (batch === undefined || !(error instanceof SaasManagementError)) return [];
      const applied = appliedOf(batch, write);
      return error.outcomes.flatMap(({ outcome, firstIndex, records }) => {
        const some = [...keys.keys()].slice(firstIndex, firstIndex + records);
        const there = some.filter((index) => applied.includes(index)).length;
        if (outcome === "accepted" && there < some.length)
          return [`${label}: accepted records are not there`];
        if (outcome !== "accepted" && outcome !== "unknown" && there > 0)
          return [`${label}: ${outcome} records are there`];
        return [];
      });
    });
  });
}

/** Writes of a batch reach the service one after the other, in the order of the calls. */
function disorder({ service, observation, misdeeds }: Simulated): string[] {
  const found = [...misdeeds];
  for (const batch of service.batches) {
    const writes = observation.batches.find(({ id }) => id === batch.id)?.writes ?? [];
    const queued = writes.filter(({ pieces }) => pieces !== true).map(({ label }) => label);
    const positions = batch.applied.flatMap(({ labels }) =>
      labels.map((label) => queued.indexOf(writeOf(label))).filter((position) => position >= 0),
    );
    if (!isSorted(positions)) found.push(`${batch.id}: writes arrived in the order ${positions.join(" ")}`);
    for (const write of writes) {
      const first = [...new Set(appliedOf(batch, write))];
      if (!isSorted(first)) found.push(`${write.label}: records arrived in the order ${first.join(" ")}`);
    }
  }
  return found;
}

/** Nobody holds the lock who believes to have ended the batch. */
function ghostLocks({ service, observation, clock, fired, crashed }: Simulated): string[] {
  const newest = service.batches.at(-1);
  if (newest === undefined || service.stateOf(newest.id, clock.now()) !== "active") return [];
  const observed = observation.batches.find(({ id }) => id === newest.id);
  if (observed !== undefined) {
    return observed.mayHoldLock || crashed
      ? []
      : [`${newest.id} holds the lock, and its owner believes it ended`];
  }
  // The answer to its start was lost, or the abort that followed was.
  const excused =
    crashed ||
    fired.some(
      ({ operation, kind }) =>
        operation === "AbortSyncBatch" ||
        kind.type === "stolen" ||
        kind.type === "revoked" ||
        (operation === "StartSyncBatch" &&
          (["lost", "late", "stalled"].includes(kind.type) ||
            // Longer than a client waits that is closed; it says so in the log.
            (kind.type === "delayed" && kind.ms > CLOSE_GRACE_MS))),
    );
  return excused ? [] : [`${newest.id} holds the lock, and nobody has it`];
}

/** Every call settled, and nothing is left behind. */
function leftovers({ settled, observation, clock, unhandled }: Simulated): string[] {
  const found: string[] = [];
  if (!settled || observation.pending > 0) found.push(`${observation.pending} calls never settled`);
  if (settled && clock.waiting > 0) found.push(`${clock.waiting} timers are left`);
  if (unhandled.length > 0) found.push(`unhandled rejections: ${unhandled.map(String).join(", ")}`);
  const listeners = observation.signals.flatMap((signal) => getEventListeners(signal, "abort")).length;
  if (settled && listeners > 0) found.push(`${listeners} listeners are left on signals`);
  return found;
}

/** Every error is one of the SDK's, the source's own, or the reason of a caller who gave up. */
function strangers({ observation }: Simulated): string[] {
  return observation.told
    .filter((told) => told instanceof Error)
    .filter(
      (error) =>
        !(error instanceof SaasManagementError || error instanceof SourceFailure || error instanceof GaveUp),
    )
    .map((error) => `a foreign error came out: ${error.stack}`);
}

/** Neither the key nor a record's contents are in anything that came out. */
function leaks({ observation, apiKey }: Simulated): string[] {
  const texts = observation.told.flatMap((told) => [
    String(told),
    inspect(told, { depth: 9 }),
    JSON.stringify(told) ?? "",
    told instanceof Error ? (told.stack ?? "") : "",
  ]);
  const found = (secret: string) => texts.some((text) => text.includes(secret));
  return [...(found(CANARY) ? ["a record came out"] : []), ...(found(apiKey) ? ["the key came out"] : [])];
}

/** Indexes of the records of a write that the service applied in a batch, each as often as it did. */
function appliedOf({ applied }: ModelBatch, { label }: ObservedWrite): number[] {
  return applied.flatMap(({ labels }) =>
    labels.filter((applied) => writeOf(applied) === label).map((applied) => Number(applied.split("#")[1])),
  );
}

/** The write that a record's label names. */
function writeOf(label: string): string {
  return label.split("#")[0] ?? "";
}

function isSorted(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => number >= (numbers[i - 1] ?? 0));
}
