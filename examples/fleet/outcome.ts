import { disposition, RateLimitError, RunHeldError, SaasManagementError } from "@saas-management/sdk";
import type { Job, JobResult, PgBoss } from "pg-boss";
import { type Installation, QUEUE } from "./queue.js";

/** Decides what happens to the job of a failed run. */
export async function outcomeOf(
  boss: PgBoss,
  { id, retryCount }: Job<Installation>,
  error: unknown,
  isStopping: boolean,
): Promise<JobResult> {
  const approval = error instanceof RunHeldError ? error.report.approval?.id : undefined;
  // A held run has no approval if the ledger couldn't be read or written; the next run may succeed.
  const isHeld = disposition(error) === "needs-approval";
  const next = isStopping
    ? "retry-now"
    : isHeld && approval === undefined
      ? "retry-after"
      : disposition(error);
  const code = error instanceof SaasManagementError ? error.code : "OTHER";
  const output = { next, code, message: error instanceof Error ? error.message : String(error) };
  switch (next) {
    case "needs-approval":
      // The job isn't repeated: `saas-management status` lists the run, and the next cron run uses the approval.
      return { id, status: "completed", output: { ...output, approval } };
    case "fix-data":
    case "fix-configuration":
    case "fix-credential":
      return { id, status: "deadletter", output };
    case "retry-now":
    case "retry-after":
    case "unknown": {
      // Fails the job only if this worker still has the attempt: another one may have taken it.
      await boss.fail(QUEUE, { id, retryCount }, output);
      // The queue's own delay grows with each attempt, but the service may ask for a specific delay.
      const afterMs = error instanceof RateLimitError ? error.retryAfterMs : undefined;
      const startAfter = next === "retry-now" ? 0 : afterMs && Math.ceil(afterMs / 1000);
      if (startAfter !== undefined) await boss.update(QUEUE, undefined, { id, startAfter });
      return { id, status: "failed", output };
    }
  }
}
