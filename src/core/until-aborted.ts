/**
 * Settles as `promise` does, but rejects with the reason of the first signal that fires, as soon as it does: what is
 * awaited may be a function of the user's that never looks at a signal.
 */
export function untilAborted<T>(promise: Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink: (() => void)[] = [];
    const end = () => {
      for (const remove of unlink) remove();
    };
    for (const signal of signals) {
      const abort = () => {
        end();
        reject(signal.reason);
      };
      unlink.push(() => signal.removeEventListener("abort", abort));
      if (signal.aborted) {
        abort();
        break;
      }
      signal.addEventListener("abort", abort, { once: true });
    }
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
