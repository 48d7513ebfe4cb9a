import type { SyncBatch } from "@saas-management/sdk";
import type { ObservedBatch } from "./observation.js";
import type { ProcessParts } from "./process-parts.js";
import type { Step } from "./program.js";
import { runPieces, runWrite } from "./writes.js";

/** Performs the steps with a batch handle. */
export async function useHandle(
  batch: SyncBatch,
  steps: readonly Step[],
  observed: ObservedBatch,
  parts: ProcessParts,
): Promise<void> {
  const unawaited: Promise<void>[] = [];
  for (const step of steps) {
    const done = runStep(step, batch, observed, parts);
    if (step.do === "write" && !step.awaited) unawaited.push(done);
    else await done;
  }
  await Promise.all(unawaited);
}

async function runStep(
  step: Step,
  batch: SyncBatch,
  observed: ObservedBatch,
  parts: ProcessParts,
): Promise<void> {
  const { observation, clock, dead } = parts;
  switch (step.do) {
    case "write":
      await runWrite(batch, step.write, observed, parts);
      return;
    case "pieces":
      await runPieces(step, batch, observed, parts);
      return;
    case "pause":
      await clock.sleep(step.ms, dead).catch(() => {});
      return;
    case "complete":
      await complete(batch, observed, parts);
      return;
    case "abort": {
      const aborted = await observation.settle(batch.abort());
      if ("value" in aborted) observed.mayHoldLock = false;
      return;
    }
    case "close":
      batch.close();
  }
}

async function complete(
  batch: SyncBatch,
  observed: ObservedBatch,
  { observation }: ProcessParts,
): Promise<void> {
  if (observed.completion !== "done") observed.completion = "under way";
  const completed = await observation.settle(batch.complete({ unverified: observed.writes.length === 0 }));
  if ("value" in completed) {
    observed.completion = "done";
    observed.mayHoldLock = false;
  } else if (observed.completion === "under way") {
    observed.completion = "failed";
    observed.completionError = completed.error;
  }
}
