import { linkAbort } from "../core/abort.js";
import { InterruptedError, RunHeldError } from "../core/errors/index.js";
import type { Logger } from "../core/hooks.js";
import { traced } from "../core/trace.js";
import { openSyncTrace } from "../sync/call.js";
import type { ResolvedRunOptions } from "./options.js";
import type { RunReceipt } from "./receipt.js";
import type { RunParts } from "./send.js";

/**
 * Does the work of a run where tracing and the log see it, with a signal that fires when the caller, the client or a
 * signal of the process ends the run.
 */
export async function withRunScope(
  options: ResolvedRunOptions,
  { configuration, closed }: RunParts,
  work: (ended: AbortSignal) => Promise<RunReceipt>,
): Promise<RunReceipt> {
  const { installationId, signal, stopOnSignals } = options;
  const { controller, unlink } = linkAbort(signal, closed);
  const stopListening = stopOnSignals === true ? abortAtSignals(controller) : undefined;
  const run = () => logged(installationId, configuration.logger, () => work(controller.signal));
  try {
    return await traced(
      openSyncTrace(configuration, "sync.run", { installationId }),
      run,
      (receipt) => receipt,
    );
  } finally {
    unlink();
    stopListening?.();
    // Nothing goes on that nobody waits for, such as the abort of an orphan.
    controller.abort(new Error("The run is over."));
  }
}

/** Logs the beginning and the end of a run, each once: completed, held with the rules and their figures, or failed. */
async function logged(
  installationId: string,
  logger: Logger,
  run: () => Promise<RunReceipt>,
): Promise<RunReceipt> {
  logger.info("saas-management: run started", { installationId });
  try {
    const receipt = await run();
    const { batchId, durationMs, restarts } = receipt;
    const about = { installationId, batchId, durationMs, restarts, records: acceptedOf(receipt) };
    logger.info("saas-management: run completed", about);
    return receipt;
  } catch (error) {
    if (error instanceof RunHeldError) {
      const reasons = error.report.reasons.map(
        ({ collection, rule, diff: { known, sent, added, removed } }) => {
          return { collection, rule, known, sent, added, removed };
        },
      );
      logger.warn("saas-management: run held", { installationId, reasons });
    } else {
      logger.error("saas-management: run failed", { installationId, error });
    }
    throw error;
  }
}

/** How many records of a run the service accepted. */
function acceptedOf({ collections }: RunReceipt): number {
  return Object.values(collections).reduce(
    (sum, { stats }) => sum + stats.accepted + stats.alreadyAccepted,
    0,
  );
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The runs that the next signal aborts; all runs of the process share one handler. */
const running = new Set<AbortController>();

const ended = new WeakSet<AbortController>();

/**
 * Aborts a run at the first SIGINT or SIGTERM, with an {@link InterruptedError}; a second one ends the process as usual.
 * @returns a function that removes the run, and the handlers with the last run
 */
function abortAtSignals(controller: AbortController): () => void {
  if (running.size === 0) for (const name of SIGNALS) process.on(name, handle);
  running.add(controller);
  return () => {
    if (running.delete(controller) && running.size === 0) removeHandlers();
  };
}

function handle(name: NodeJS.Signals): void {
  if ([...running].some((controller) => ended.has(controller))) {
    running.clear();
    removeHandlers();
    process.kill(process.pid, name);
    return;
  }
  for (const controller of running) {
    ended.add(controller);
    controller.abort(new InterruptedError(`The run was ended by ${name}.`, { signalName: name }));
  }
}

function removeHandlers(): void {
  for (const name of SIGNALS) process.off(name, handle);
}
