import { InterruptedError } from "../core/errors/index.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The runs that have not ended; all runs of the process share one handler. */
const running = new Set<AbortController>();

/**
 * Aborts a run at the first SIGINT or SIGTERM, with an {@link InterruptedError}. A second one ends the process as
 * usual, because nobody handles it any more.
 * @returns a function to call when the run has ended
 */
export function abortAtSignals(controller: AbortController): () => void {
  if (running.size === 0) for (const name of SIGNALS) process.on(name, handle);
  running.add(controller);
  return () => {
    running.delete(controller);
    if (running.size === 0) removeHandlers();
  };
}

function handle(name: NodeJS.Signals): void {
  removeHandlers();
  for (const controller of running)
    controller.abort(new InterruptedError(`The run was ended by ${name}.`, { signalName: name }));
}

function removeHandlers(): void {
  for (const name of SIGNALS) process.off(name, handle);
}
