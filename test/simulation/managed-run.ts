import { type RunContext, RunHeldError } from "@saas-management/sdk";
import { connectorOf, type RunFunction } from "../support/connector.js";
import { isSnapshot } from "./messages.js";
import type { ObservedBatch } from "./observation.js";
import { givingUp, keepingAlive, type ProcessParts, relyNoMore } from "./process-parts.js";
import type { Session, WriteSpec } from "./program.js";
import { keyOf } from "./source.js";
import { runWrite } from "./writes.js";

const SNAPSHOTS = ["accounts", "licenses"] as const;

/** Rules that a few records can break. */
export const GUARD = {
  removed: { maxShare: 0.25, min: 3 },
  window: { maxShare: 0.25, min: 5, days: 7 },
  emptied: { maxShare: 0.25, min: 3 },
  flipped: { maxDistance: 0.5, min: 3 },
  added: { maxShare: 0.75, min: 8 },
  values: false,
} as const;

/** A run: what the function writes is written anew with each attempt. */
export async function runManaged(
  session: Extract<Session, { do: "run" }>,
  parts: ProcessParts,
): Promise<void> {
  const { client, installationId, observation } = parts;
  const { waitForLockMs, restarts, maxIdleMs, writes, abortAfterMs, judging } = session;
  const limit = givingUp(abortAfterMs, parts);
  const attempts: ObservedBatch[] = [];
  const run = observation.label();
  const labels = writes.map(() => observation.label());
  const fed = observation.label();
  const approve = judging?.approves === true ? observation.offered : undefined;
  const { relyOnIt } = keepingAlive(maxIdleMs, parts);
  let abortFailed = false;
  const fn: RunFunction<(typeof SNAPSHOTS)[number]> = async (batch, attempt) => {
    observation.signals.push(batch.signal, attempt.signal);
    const observed = observation.batch(batch.id);
    attempts.push(observed);
    observed.run = run;
    relyOnIt(observed);
    try {
      if (judging?.feedTo !== undefined) await feed(judging.feedTo, batch, attempt, observed, parts, fed);
      for (const [index, write] of writes.entries()) {
        // The same records with each attempt: what was accepted before is known by its contents.
        const written = await runWrite(batch, write, observed, parts, labels[index]);
        if ("error" in written) throw written.error;
      }
      observed.completion = "under way";
    } finally {
      relyNoMore(observed, parts);
    }
  };
  const ended = await observation.settle(
    client.run(
      connectorOf(
        SNAPSHOTS.filter((name) => writes.some(({ collection }) => collection === name)),
        fn,
      ),
      {
        installationId,
        waitForLockMs,
        restarts,
        maxIdleMs,
        ...(judging === undefined || parts.ledger === undefined
          ? { ledger: "none" }
          : {
              ledger: parts.ledger,
              guard: judging.guarded ? GUARD : false,
              firstRun: judging.firstRun,
              approve,
            }),
        signal: limit?.signal,
        onProgress: (progress) => {
          observation.told.push(progress);
          if (progress.type === "abort-failed") abortFailed = true;
        },
      },
    ),
  );
  limit?.end();
  for (const observed of attempts) {
    const last = observed === attempts.at(-1);
    if ("value" in ended && last) observed.completion = "done";
    else if (observed.completion === "under way") observed.completion = "failed";
    if ("error" in ended) observed.completionError = ended.error;
    observed.mayHoldLock = abortFailed;
  }
  const error = "error" in ended ? ended.error : undefined;
  if (error instanceof RunHeldError) observation.offered = error.report.approval?.id;
  if (judging === undefined) return;
  observation.runs.push({
    judging,
    approve,
    error,
    at: parts.clock.now(),
    batchIds: attempts.map(({ id }) => id),
    snapshots: writes
      .filter(({ collection }) => isSnapshot(collection))
      .map(({ collection, source: { ids, shape } }) => ({ collection, ids: new Set(ids.map(keyOf)), shape })),
  });
}

/** Sends the usage since the watermark, and advances it. */
async function feed(
  feedTo: number,
  batch: Parameters<typeof runWrite>[0],
  { watermark, advance }: RunContext,
  observed: ObservedBatch,
  parts: ProcessParts,
  label: string,
): Promise<void> {
  const since = Number(watermark("usage") ?? 0);
  const there = parts.eventsOf?.("usage");
  const missing = Array.from({ length: since }, (_, id) => keyOf(id)).filter(
    (key) => there?.has(key) === false,
  );
  if (missing.length > 0)
    parts.observation.falseWatermarks.push(
      `the watermark ${since} covers ${missing.join(", ")}, which are lost`,
    );
  const write: WriteSpec = {
    collection: "usage",
    changed: undefined,
    abortAfterMs: undefined,
    source: {
      kind: "array",
      ids: Array.from({ length: Math.max(0, feedTo - since) }, (_, i) => since + i),
      throwsAt: undefined,
      invalidAt: undefined,
      paddedAt: undefined,
      paddingBytes: 0,
      pauseMs: 0,
    },
  };
  // A connector may advance before it has sent anything: the run has to fail then, and to commit nothing.
  if (feedTo % 2 === 0) advance("usage", String(Math.max(since, feedTo)));
  const written = await runWrite(batch, write, observed, parts, label);
  if ("error" in written) throw written.error;
  advance("usage", String(Math.max(since, feedTo)));
}
