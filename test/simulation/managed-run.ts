import { type RunContext, RunHeldError, type SyncProgress } from "@saas-management/sdk";
import { connectorOf, type RunFunction } from "../support/connector.js";
import { isSnapshot } from "./messages.js";
import type { ObservedExtraction, ObservedRun } from "./observation.js";
import { givingUp, type ProcessParts } from "./process-parts.js";
import type { RunSpec, WriteSpec } from "./program.js";
import type { ServiceModel } from "./service-model.js";
import { plainWrite, range } from "./session-arbitrary.js";
import { keyOf } from "./source.js";
import { runPieces, runWrite, type Writes } from "./writes.js";

const SNAPSHOTS = ["accounts", "licenses"] as const;

/** Rules that a few records can break. */
export const GUARD = {
  removed: { maxShare: 0.25, min: 3 },
  window: { maxShare: 0.25, min: 5, days: 7 },
  added: { maxShare: 0.75, min: 8 },
  // A record's name contains its write, so all names change from run to run.
  changed: false,
} as const;

/** Makes a run, and records what its caller and its connector see. */
export async function runManaged(spec: RunSpec, parts: ProcessParts): Promise<void> {
  const { client, clock, installationId, observation, memoryBytes } = parts;
  const { waitForLockMs, restarts, writes, abortAfterMs, killAfterMs, judging } = spec;
  const run: ObservedRun = {
    conduct: parts.conduct,
    judging,
    restarts,
    snapshots: writes.flatMap((write) => (isSnapshot(write.collection) ? [snapshotOf(write)] : [])),
    approve: judging?.approves === true ? observation.offered : undefined,
    begun: observation.tick(),
    ended: Number.POSITIVE_INFINITY,
    extractions: [],
    batches: [],
    judgedAtMs: clock.now(),
    killed: false,
  };
  observation.runs.push(run);
  const limit = givingUp(abortAfterMs, parts);
  const stopKilling = killAfterMs === undefined ? () => {} : clock.after(killAfterMs, parts.crash);
  let abortFailed = false;
  const onProgress = (progress: SyncProgress) => {
    observation.told.push(progress);
    const extraction = run.extractions.at(-1);
    if (extraction !== undefined) note(progress, extraction);
    if (progress.type === "abort-failed") abortFailed = true;
  };
  const note = (progress: SyncProgress, extraction: ObservedExtraction) => {
    if (progress.type === "judged") {
      extraction.judged = Math.min(extraction.judged, observation.tick());
      run.judgedAtMs = clock.now();
    }
    if (progress.type === "started" || progress.type === "restarted") {
      const batch = observation.batch(progress.batchId, extraction);
      batch.completion = "under way";
      run.batches.push(batch);
    }
  };
  const ended = await observation.settle(
    client.run(
      connectorOf(
        SNAPSHOTS.filter((name) => writes.some(({ collection }) => collection === name)),
        connector(spec, run, parts),
      ),
      {
        installationId,
        waitForLockMs,
        retryForMs: restarts * 60_000,
        spool: { memoryBytes },
        ...(judging === undefined
          ? { ledger: "none" }
          : {
              ledger: parts.ledger,
              guard: judging.guarded ? GUARD : false,
              firstRun: judging.firstRun,
              approve: run.approve,
            }),
        signal: limit?.signal,
        onProgress,
      },
    ),
  );
  limit?.end();
  stopKilling();
  run.ended = observation.tick();
  run.killed = parts.dead.aborted;
  if ("error" in ended) run.error = ended.error;
  else run.receipt = ended.value;
  for (const batch of run.batches) {
    batch.completion = run.receipt?.batchId === batch.id ? "done" : "failed";
    batch.completionError = run.error;
    batch.mayHoldLock = abortFailed || run.killed;
  }
  if (run.error instanceof RunHeldError) observation.offered = run.error.report.approval?.id;
}

/** A connector that writes the same records each time it is called. */
function connector(
  { writes, manners, lateAfterMs }: RunSpec,
  run: ObservedRun,
  parts: ProcessParts,
): RunFunction<(typeof SNAPSHOTS)[number]> {
  const { clock, observation, service } = parts;
  const write = async (batch: Writes, spec: RunSpec["writes"][number], extraction: ObservedExtraction) => {
    if ("source" in spec) return runWrite(batch, spec, extraction, parts);
    await runPieces(spec, batch, extraction, parts);
    return undefined;
  };
  return async (batch, context) => {
    observation.signals.push(batch.signal, context.signal);
    const extraction: ObservedExtraction = {
      run,
      writes: [],
      begun: observation.tick(),
      ended: Number.POSITIVE_INFINITY,
      threw: true,
      judged: Number.POSITIVE_INFINITY,
      late: Number.POSITIVE_INFINITY,
      lockedBy: service.holder(clock.now()),
    };
    run.extractions.push(extraction);
    const all: Promise<unknown>[] = [];
    try {
      if (run.judging?.feedTo !== undefined)
        await feed(run.judging.feedTo, batch, context, extraction, parts);
      for (const spec of writes) {
        const writing = write(batch, spec, extraction);
        all.push(writing);
        if (manners === "hurries") continue;
        const written = await writing;
        if (written !== undefined && "error" in written && manners === "awaits") throw written.error;
      }
      extraction.threw = false;
    } finally {
      void Promise.all(all).then(() => {
        extraction.ended = observation.tick();
      });
    }
    if (lateAfterMs !== undefined)
      void clock.sleepElsewhere(lateAfterMs).then(() => {
        // A write isn't late as long as the connector still awaits other writes.
        if (Number.isFinite(extraction.ended)) extraction.late = observation.tick();
        return runWrite(batch, usageOf(0, 2), extraction, parts);
      });
  };
}

/** Writes the usage since the watermark, and advances the watermark. */
async function feed(
  feedTo: number,
  batch: Writes,
  { watermark, advance }: RunContext,
  extraction: ObservedExtraction,
  parts: ProcessParts,
): Promise<void> {
  const { observation, service } = parts;
  const since = Number(watermark("usage") ?? 0);
  observation.falseWatermarks.push(...falseWatermark(since, service));
  const to = Math.max(since, feedTo);
  extraction.advanced = String(to);
  // A connector may advance before it writes anything, but a failed run must not commit the watermark.
  if (feedTo % 2 === 0) advance("usage", String(to));
  const written = await runWrite(batch, usageOf(since, to), extraction, parts);
  if ("error" in written) throw written.error;
  advance("usage", String(to));
}

/** Events that the watermark covers but the service does not have. */
export function falseWatermark(since: number, { events }: ServiceModel): string[] {
  const lost = Array.from({ length: since }, (_, id) => keyOf(id)).filter(
    (key) => events.get("usage")?.has(key) !== true,
  );
  return lost.length === 0 ? [] : [`the watermark ${since} covers ${lost.join(", ")}, which are lost`];
}

function usageOf(from: number, to: number): WriteSpec {
  return plainWrite("usage", range(from, to), { kind: "array" });
}

function snapshotOf(write: RunSpec["writes"][number]) {
  const { collection } = write;
  const ids = "source" in write ? write.source.ids : write.pieces.flat();
  return { collection, ids: new Set(ids.map(keyOf)) };
}
