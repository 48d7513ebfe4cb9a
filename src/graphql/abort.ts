/** An AbortController that also follows other signals, until it is released. */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #unlink: () => void;

  constructor(...signals: readonly (AbortSignal | undefined)[]) {
    const undo: (() => void)[] = [];
    for (const signal of signals) {
      if (signal === undefined) continue;
      const follow = () => this.abort(signal.reason);
      if (signal.aborted) follow();
      signal.addEventListener("abort", follow, { once: true });
      undo.push(() => signal.removeEventListener("abort", follow));
    }
    this.#unlink = () => {
      for (const step of undo) step();
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Takes the listeners off the signals that were followed. */
  release(): void {
    this.#unlink();
  }
}

/**
 * Settles as `promise` does, but rejects with the signal's reason as soon as it fires: what is awaited may be a
 * function of the user's that never looks at the signal.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const stopListening = () => signal.removeEventListener("abort", abort);
    promise.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (reason: unknown) => {
        stopListening();
        reject(reason);
      },
    );
  });
}
