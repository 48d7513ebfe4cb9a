/**
 * What an actor does next, with the rule that it comes from. From `locked` to `abort` it works on its batch; from `done` on
 * it does nothing more.
 */
export const STEP = {
  /** COMMIT 1 to 4. */
  readReceipt: 0,
  readToken: 1,
  judge: 2,
  claim: 3,
  start: 4,
  plainStart: 5,
  /** COMMIT 5a, then 5b to 5f. */
  locked: 6,
  ledger: 7,
  /** COMMIT 6: both windows of a staged run. */
  sendFirst: 8,
  sendSecond: 9,
  plainDraft: 10,
  plainFirst: 11,
  plainJudge: 12,
  plainSecond: 13,
  /** COMMIT 7 and 8. */
  savePending: 14,
  complete: 15,
  wait: 16,
  abort: 17,
  drop: 18,
  /** COMMIT 9, of another batch of this run (5c) or of the own one. */
  resumeMark: 19,
  resumeDelete: 20,
  mark: 21,
  deleteOlder: 22,
  /** COMMIT 10. */
  watermarks: 23,
  receipt: 24,
  clean: 25,
  /** COMMIT 5d. */
  superseded: 26,
  cleanRefused: 27,
  done: 28,
  refused: 29,
  gaveUp: 30,
} as const;

export type Step = keyof typeof STEP;

export const isEnd = (step: number): boolean => step >= STEP.done;
export const holdsBatch = (step: number): boolean => step >= STEP.locked && step <= STEP.abort;
export const nameOf = (step: number): string =>
  Object.entries(STEP).find(([, number]) => number === step)?.[0] ?? "?";

/** States of a batch, of the answer to a completion, and of the keys `fate` and `receipt`. */
export const BATCH = { none: 0, active: 1, completed: 2, ended: 3 } as const;
export const ANSWER = { none: 0, completed: 1, refused: 2, lost: 3 } as const;
export const FATE = { none: 0, commit: 1, discard: 2 } as const;
export const RECEIPT = { none: 0, completed: 1, superseded: 2 } as const;
