import { constants } from "node:os";
import { InterruptedError } from "../core/errors/index.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What the next signal aborts, with names for messages. All runs of the process share one handler. */
const running = new Map<AbortController, string>();

const ended = new WeakSet<AbortController>();

/**
 * Aborts a run or a command at the first SIGINT or SIGTERM, with an {@link InterruptedError}; a second one ends the
 * process as usual.
 * @returns stops listening
 */
export function abortAtSignals(controller: AbortController, what = "run"): () => void {
  if (running.size === 0) for (const name of SIGNALS) process.on(name, handle);
  running.set(controller, what);
  return () => {
    if (running.delete(controller) && running.size === 0) removeHandlers();
  };
}

function handle(name: NodeJS.Signals): void {
  if ([...running.keys()].some((controller) => ended.has(controller))) {
    running.clear();
    removeHandlers();
    process.kill(process.pid, name);
    // A container's first process survives its own signal.
    if (process.listenerCount(name) === 0) process.exit(128 + constants.signals[name]);
    return;
  }
  for (const [controller, what] of running) {
    ended.add(controller);
    controller.abort(new InterruptedError(`The ${what} was ended by ${name}.`, { signalName: name }));
  }
}

function removeHandlers(): void {
  for (const name of SIGNALS) process.off(name, handle);
}
