import type { SyncBatch } from "@saas-management/sdk";
import { useHandle } from "./handle.js";
import { runManaged } from "./managed-run.js";
import type { ObservedBatch } from "./observation.js";
import { givingUp, type ProcessParts } from "./process-parts.js";
import type { Session } from "./program.js";

/**
 * Runs one process of a program, and records the answers that the process gets. Never rejects.
 * @returns the sessions that remain because the process died
 */
export async function runProcess(
  sessions: readonly Session[],
  parts: ProcessParts,
): Promise<readonly Session[]> {
  const { dead, observation, client } = parts;
  const used: ObservedBatch[] = [];
  const rest = [...sessions];
  while (rest.length > 0 && !dead.aborted) {
    const session = rest.shift();
    if (session !== undefined) await runSession(session, parts, used);
  }
  await observation.settle(client.close());
  for (const observed of used) leave(observed);
  return rest;
}

async function runSession(session: Session, parts: ProcessParts, used: ObservedBatch[]): Promise<void> {
  switch (session.do) {
    case "pause":
      return parts.clock.sleep(session.ms, parts.dead).catch(() => {});
    case "run":
      return runManaged(session, parts);
    case "batch":
      return runBatch(session, parts, used);
    case "release":
      return release(parts);
    case "crash":
      return parts.crash();
  }
}

async function runBatch(
  session: Extract<Session, { do: "batch" }>,
  parts: ProcessParts,
  used: ObservedBatch[],
): Promise<void> {
  const { client, installationId, observation } = parts;
  const { waitForLockMs, abortStartAfterMs, steps } = session;
  const limit = givingUp(abortStartAfterMs, parts);
  const started = await observation.settle(
    client.startBatch({
      installationId,
      waitForLockMs,
      signal: limit?.signal,
      onProgress: (progress) => observation.told.push(progress),
    }),
  );
  limit?.end();
  if ("error" in started) return;
  const observed = observation.batch(started.value.id);
  used.push(observed);
  await use(started.value, steps, observed, parts);
}

/** Aborts a batch that its handle left behind. */
async function release({ client, observation }: ProcessParts): Promise<void> {
  const observed = observation.batches.findLast(({ left }) => left === true);
  if (observed === undefined) return;
  observed.left = false;
  const aborted = await observation.settle(client.abortBatch(observed.id));
  if ("value" in aborted) observed.mayHoldLock = false;
}

async function use(
  batch: SyncBatch,
  steps: Parameters<typeof useHandle>[1],
  observed: ObservedBatch,
  parts: ProcessParts,
): Promise<void> {
  parts.observation.signals.push(batch.signal);
  await useHandle(batch, steps, observed, parts);
  observed.handle = batch.state;
  observed.stats = () => batch.stats;
  if (batch.state === "closed") leave(observed);
}

/** Lets somebody else release the batch's lock, unless the batch has ended or may have been completed. */
function leave(observed: ObservedBatch): void {
  observed.left = observed.completion === "none" && observed.mayHoldLock;
}
