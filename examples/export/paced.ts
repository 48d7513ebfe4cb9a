interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Makes a fetch that leaves `1 / perSecond` seconds between two requests. As the `fetch` of a client it sees every
 * request, retries included. The first one waits too, so that a program that is started again and again keeps the rate.
 */
export function paced(perSecond: number, fetch = globalThis.fetch, clock = systemClock): typeof fetch {
  if (!(perSecond >= 0.1))
    throw new RangeError("The rate must be a number of requests a second, 0.1 or more.");
  let last = clock.now();
  let turn = Promise.resolve();
  const nextTurn = async () => {
    // Timers may fire a little early.
    const next = last + 1000 / perSecond;
    while (clock.now() < next) await clock.sleep(next - clock.now());
    last = clock.now();
  };
  return async (input, init) => {
    turn = turn.then(nextTurn);
    await turn;
    return fetch(input, init);
  };
}
