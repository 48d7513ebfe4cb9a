import { ClosedError } from "../errors.js";

/** Signals that ask a process to end. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Turns the first SIGINT or SIGTERM into an abort; the second one does what it would have done without us.
 * @returns a signal that fires with a {@link ClosedError}, and a function that takes the handlers off again
 */
export function listenForSignals(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const stop = () => {
    for (const name of SIGNALS) process.off(name, handle);
  };
  const handle = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      stop();
      process.kill(process.pid, name);
      return;
    }
    controller.abort(
      new ClosedError(`The run was ended by ${name}: its batch is aborted, and nothing was removed.`),
    );
  };
  for (const name of SIGNALS) process.on(name, handle);
  return { signal: controller.signal, stop };
}
