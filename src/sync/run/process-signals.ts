import { ClosedError } from "../../core/errors/index.js";

/** Signals that ask a process to end. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What the next signal aborts: all runs of the process share one handler. */
const running = new Set<AbortController>();

/** Those of them that a signal has aborted. */
const ended = new WeakSet<AbortController>();

/**
 * Aborts a run at the first SIGINT or SIGTERM, with a {@link ClosedError}; the second one does what it would have done
 * without us.
 * @returns takes the run off again, and the handlers with the last one
 */
export function abortAtSignals(controller: AbortController): () => void {
  if (running.size === 0) for (const name of SIGNALS) process.on(name, handle);
  running.add(controller);
  return () => {
    if (running.delete(controller) && running.size === 0) takeOff();
  };
}

function handle(name: NodeJS.Signals): void {
  if ([...running].some((controller) => ended.has(controller))) {
    running.clear();
    takeOff();
    process.kill(process.pid, name);
    return;
  }
  for (const controller of running) {
    ended.add(controller);
    // What becomes of its batch shows only now.
    controller.abort(new ClosedError(`The run was ended by ${name}.`));
  }
}

function takeOff(): void {
  for (const name of SIGNALS) process.off(name, handle);
}
