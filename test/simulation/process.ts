import type { RecordOf, RecordSource, SyncBatch, WriteOptions, WriteResult } from "@saas-management/sdk/sync";
import type { SyncEngine } from "../../src/sync/engine.js";
import { makeRecord, type SimCollection } from "./messages.js";
import type { Observation, ObservedBatch, ObservedWrite } from "./observation.js";
import type { Session, Step, WriteSpec } from "./program.js";
import type { SimClock } from "./sim-clock.js";
import { isWhole, keyOf, makeSource } from "./source.js";

/** The batch of a handle, or that of a run. */
interface Writes {
  write(
    collection: SimCollection,
    source: RecordSource<RecordOf<SimCollection>>,
    options: WriteOptions,
  ): Promise<WriteResult>;
}

/** The reason of a caller who gives up. */
export class GaveUp extends Error {}

/** What a process works with. */
export interface ProcessParts {
  readonly client: SyncEngine;
  readonly installationId: string;
  readonly clock: SimClock;
  readonly observation: Observation;
  /** Cuts the process off. */
  readonly crash: () => void;
}

/** Does what one process of a program does, and writes down what it was told. Never rejects. */
export async function runProcess(sessions: readonly Session[], parts: ProcessParts): Promise<void> {
  const { clock, client, observation } = parts;
  for (const session of sessions) {
    if (session.do === "pause") await clock.sleep(session.ms);
    else if (session.do === "run") await runManaged(session, parts);
    else if (session.do === "batch") await runBatch(session, parts);
    else {
      parts.crash();
      break;
    }
  }
  await observation.settle(client.close());
}

async function runBatch(session: Extract<Session, { do: "batch" }>, parts: ProcessParts): Promise<void> {
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
  const batch = started.value;
  observation.signals.push(batch.signal);
  const observed = observation.batch(batch.id);
  const unawaited: Promise<void>[] = [];
  for (const step of steps) {
    const done = runStep(step, batch, observed, parts);
    if (step.do === "write" && !step.awaited) unawaited.push(done);
    else await done;
  }
  await Promise.all(unawaited);
  observed.handle = batch.state;
}

async function runStep(
  step: Step,
  batch: SyncBatch,
  observed: ObservedBatch,
  parts: ProcessParts,
): Promise<void> {
  const { observation, clock } = parts;
  switch (step.do) {
    case "write":
      await runWrite(batch, step.write, observed, parts);
      return;
    case "pieces":
      await runPieces(step, batch, observed, parts);
      return;
    case "pause":
      await clock.sleep(step.ms);
      return;
    case "complete": {
      if (observed.completion !== "done") observed.completion = "under way";
      const completed = await observation.settle(batch.complete());
      if ("value" in completed) {
        observed.completion = "done";
        observed.mayHoldLock = false;
      } else if (observed.completion === "under way") {
        observed.completion = "failed";
        observed.completionError = completed.error;
      }
      return;
    }
    case "abort": {
      const aborted = await observation.settle(batch.abort());
      if ("value" in aborted) observed.mayHoldLock = false;
      return;
    }
    case "close":
      batch.close();
  }
}

async function runWrite(
  batch: Writes,
  { collection, source, abortAfterMs }: WriteSpec,
  observed: ObservedBatch,
  parts: ProcessParts,
  label = parts.observation.label(),
) {
  const { observation, clock } = parts;
  const write: ObservedWrite = {
    label,
    collection,
    keys: source.ids.map(keyOf),
    whole: isWhole(source),
    afterCompletion: observed.completion !== "none",
    outcome: "under way",
  };
  observed.writes.push(write);
  const limit = givingUp(abortAfterMs, parts);
  const records = makeSource(source, collection, label, clock, limit?.signal);
  const written = await observation.settle(batch.write(collection, records, { signal: limit?.signal }));
  limit?.end();
  write.outcome = "value" in written ? "done" : "failed";
  if ("error" in written) write.error = written.error;
  return written;
}

async function runPieces(
  { collection, pieces, sealed }: Extract<Step, { do: "pieces" }>,
  batch: SyncBatch,
  observed: ObservedBatch,
  { observation }: ProcessParts,
): Promise<void> {
  const write: ObservedWrite = {
    label: observation.label(),
    collection,
    pieces: true,
    keys: pieces.flat().map(keyOf),
    whole: sealed,
    afterCompletion: observed.completion !== "none",
    outcome: "under way",
  };
  try {
    const writer = batch.open(collection);
    observed.writes.push(write);
    let index = 0;
    for (const piece of pieces) {
      const records = piece.map((id) => makeRecord(collection, keyOf(id), `${write.label}#${index++}`));
      const pushed = await observation.settle(writer.push(records));
      if ("error" in pushed) write.error = pushed.error;
    }
    if (!sealed) return;
    const done = await observation.settle(writer.seal());
    write.outcome = "value" in done ? "done" : "failed";
    if ("error" in done) write.error = done.error;
  } catch (error) {
    observation.told.push(error);
  }
}

/** A run: what the function writes is written anew with each attempt. */
async function runManaged(session: Extract<Session, { do: "run" }>, parts: ProcessParts): Promise<void> {
  const { client, installationId, observation } = parts;
  const { waitForLockMs, restarts, writes, abortAfterMs } = session;
  const limit = givingUp(abortAfterMs, parts);
  const attempts: ObservedBatch[] = [];
  const run = observation.label();
  const labels = writes.map(() => observation.label());
  let abortFailed = false;
  const ended = await observation.settle(
    client.run(
      {
        installationId,
        waitForLockMs,
        restarts,
        ledger: "none",
        snapshots: SNAPSHOTS.filter((name) => writes.some(({ collection }) => collection === name)),
        signal: limit?.signal,
        onProgress: (progress) => {
          observation.told.push(progress);
          if (progress.type === "abort-failed") abortFailed = true;
        },
      },
      async (batch, attempt) => {
        observation.signals.push(batch.signal, attempt.signal);
        const observed = observation.batch(batch.id);
        attempts.push(observed);
        observed.run = run;
        for (const [index, write] of writes.entries()) {
          // The same records with each attempt: what was accepted before is known by its contents.
          const written = await runWrite(batch, write, observed, parts, labels[index]);
          if ("error" in written) throw written.error;
        }
        observed.completion = "under way";
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
}

const SNAPSHOTS = ["accounts", "licenses"] as const;

/** A signal of a caller who gives up after some time; `end` when there is nothing to give up any more. */
function givingUp(afterMs: number | undefined, { clock, observation }: ProcessParts) {
  if (afterMs === undefined) return undefined;
  const controller = new AbortController();
  observation.signals.push(controller.signal);
  const end = clock.after(afterMs, () => controller.abort(new GaveUp()));
  return { signal: controller.signal, end };
}
