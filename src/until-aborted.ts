/**
 * Settles as `promise` does, but rejects with the reason of the first signal that fires, as soon as it does: what is
 * awaited may be a function of the user's that never looks at a signal.
 */
export function untilAborted<T>(promise: Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = signals.map((signal) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      return () => signal.removeEventListener("abort", abort);
    });
    const end = () => {
      for (const remove of unlink) remove();
    };
    promise.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
