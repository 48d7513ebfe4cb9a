import { InterruptedError } from "../core/errors/index.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The runs that the next signal aborts; all runs of the process share one handler. */
const running = new Set<AbortController>();

const ended = new WeakSet<AbortController>();

/**
 * Aborts a run at the first SIGINT or SIGTERM, with an {@link InterruptedError}; a second one ends the process as
 * usual.
 * @returns a function that removes the run, and the handlers with the last run
 */
export function abortAtSignals(controller: AbortController): () => void {
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
