/** A clock that only moves when it is told to. */
interface Driven {
  /** Milliseconds until the next sleep ends; undefined if nothing sleeps. */
  readonly dueInMs: number | undefined;
  advance(ms: number): void;
}

interface Watch {
  /** Changes whenever something happens. */
  readonly activity: () => unknown;
  /** In how many turns nothing must have happened before time passes. Not in milliseconds: a busy machine takes longer. */
  readonly patience: () => number;
  /** Called before each step with its length. */
  readonly onStep?: (ms: number) => void;
  /** What counts as a turn. @default one of the event loop */
  readonly turn?: () => Promise<void>;
}

/** Turns after which the loop no longer spins, so that other processes get the processor: each later one takes 1 ms. */
export const SPINNING_TURNS = 200;

/** Moves a clock to the next sleep whenever nothing happens, until `work` settles. */
export async function drive<T>(clock: Driven, work: Promise<T>, watch: Watch): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  work.then(settle, settle);
  let last = watch.activity();
  for (let turns = 1; ; turns += 1) {
    await (watch.turn?.() ?? nextTurn(turns > SPINNING_TURNS));
    if (settled) return work;
    const now = watch.activity();
    if (now !== last) {
      last = now;
      turns = 0;
    } else if (turns >= watch.patience()) {
      const ms = clock.dueInMs;
      if (ms === undefined) continue;
      watch.onStep?.(ms);
      clock.advance(ms);
      turns = 0;
    }
  }
}

function nextTurn(rests: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (rests) setTimeout(resolve, 1);
    else setImmediate(resolve);
  });
}
