import { connectorOf, type RunFunction } from "../support/connector.js";
import type { ObservedBatch } from "./observation.js";
import { givingUp, keepingAlive, type ProcessParts, relyNoMore } from "./process-parts.js";
import type { Session } from "./program.js";
import { runWrite } from "./writes.js";

const SNAPSHOTS = ["accounts", "licenses"] as const;

/** A run: what the function writes is written anew with each attempt. */
export async function runManaged(
  session: Extract<Session, { do: "run" }>,
  parts: ProcessParts,
): Promise<void> {
  const { client, installationId, observation } = parts;
  const { waitForLockMs, restarts, maxIdleMs, writes, abortAfterMs } = session;
  const limit = givingUp(abortAfterMs, parts);
  const attempts: ObservedBatch[] = [];
  const run = observation.label();
  const labels = writes.map(() => observation.label());
  const { relyOnIt } = keepingAlive(maxIdleMs, parts);
  let abortFailed = false;
  const fn: RunFunction<(typeof SNAPSHOTS)[number]> = async (batch, attempt) => {
    observation.signals.push(batch.signal, attempt.signal);
    const observed = observation.batch(batch.id);
    attempts.push(observed);
    observed.run = run;
    relyOnIt(observed);
    try {
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
        ledger: "none",
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
}
