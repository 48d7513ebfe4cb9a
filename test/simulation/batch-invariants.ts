/** What must be true of batches: how they ended, whether their callers know that, and who holds the lock. */
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  ClosedError,
  SaasManagementError,
} from "@saas-management/sdk";
import type { Simulated } from "./simulate.js";

export function brokenBatchRules(simulated: Simulated): string[] {
  return [...wrongAnswers(simulated), ...wrongStates(simulated), ...ghostLocks(simulated)];
}

/** Callers are told the true outcome of a completion. */
function wrongAnswers({ service, observation, clock }: Simulated): string[] {
  return observation.batches.flatMap((observed) => {
    const { id, extraction, completion, completionError: error } = observed;
    const state = service.stateOf(id, clock.now());
    if (completion === "done" && state !== "completed")
      return [`${id}: complete() resolved, and the batch is ${state}`];
    if (completion !== "failed" || state !== "completed" || extraction?.run.killed === true) return [];
    const mayBe =
      (error instanceof BatchOutcomeUnknownError && error.batchId === id) ||
      // The error of a run refers to its last batch.
      (extraction !== undefined
        ? observation.told.some((told) => tellsOfUnclear(told, id))
        : error instanceof ClosedError ||
          (error instanceof BatchStateError && ["unknown", "completed"].includes(error.reason)) ||
          !(error instanceof SaasManagementError));
    return mayBe ? [] : [`${id}: complete() failed with ${error}, and the batch is completed`];
  });
}

/** Whether a log line says that a batch of a run may have been completed. */
function tellsOfUnclear(told: unknown, batchId: string): boolean {
  if (!Array.isArray(told)) return false;
  const [message, details]: readonly unknown[] = told;
  if (typeof details !== "object" || details === null || Reflect.get(details, "batchId") !== batchId)
    return false;
  return (
    Reflect.get(details, "code") === "BATCH_OUTCOME_UNKNOWN" || String(message).includes("outcome is unknown")
  );
}

/** If a handle says how its batch ended, that is true. */
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

/** No client that believes its batch has ended still holds the lock. */
function ghostLocks({ service, observation, clock, locks }: Simulated): string[] {
  const newest = service.batches.at(-1);
  if (newest === undefined || newest.foreign || service.stateOf(newest.id, clock.now()) !== "active")
    return [];
  const { id } = newest;
  const observed = observation.batches.find((batch) => batch.id === id);
  if (observed !== undefined)
    return observed.mayHoldLock ? [] : [`${id} holds the lock, and its owner believes it ended`];
  const told = ({ heard, heardTooLate }: (typeof locks)[number], batchId: string) =>
    heard.has(batchId) || heardTooLate.has(batchId);
  // If a client was told of the start, some client must have been unable to release the lock.
  if (locks.some((log) => told(log, id)))
    return locks.some((log) => log.excuses(id)) ? [] : [`${id} holds the lock, and was not aborted`];
  const unheard = service.batches.filter(
    (batch) => !batch.foreign && !locks.some((log) => told(log, batch.id)),
  ).length;
  const excuses = locks.reduce((sum, { unknown }) => sum + unknown, 0);
  return unheard <= excuses ? [] : [`${id} holds the lock, and nobody has it`];
}
