const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Listens for signals of the process.
 * @returns a signal that fires at the first one, with an `InterruptedError`; the second one ends the process at once
 */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let count = 0;
  const stop = (name: keyof typeof CODES) => {
    count += 1;
    if (count > 1) process.exit(CODES[name]);
    void import("../core/errors/index.js").then(({ InterruptedError }) => {
      controller.abort(new InterruptedError(`The command was ended by ${name}.`, { signalName: name }));
    });
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}
