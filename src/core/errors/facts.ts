/**
 * Why an operation was not tried again.
 *
 * - `not-retryable`: another attempt would not help, or is not safe.
 * - `retries-exhausted`: all attempts that `retry` allows were made.
 * - `deadline`: the operation's time is up, or would be before the next attempt.
 * - `retry-after-exceeds-deadline`: the service asks to wait longer than the operation has time (`retryAfterMs`).
 * - `budget-exhausted`: the client's retries of late have failed so often that it makes no more for now.
 */
export type StopReason =
  | "not-retryable"
  | "retries-exhausted"
  | "deadline"
  | "retry-after-exceeds-deadline"
  | "budget-exhausted";

/**
 * What became of some records of a failed write.
 *
 * - `accepted`: the service acknowledged them.
 * - `rejected`: the service refused the one message that held them.
 * - `unsent`: nothing of them reached the service, because there was no connection or no credential.
 * - `unknown`: the answer was lost, or one of several messages of a window was refused.
 */
export interface RecordOutcome {
  /** What is known of them. */
  readonly outcome: "accepted" | "rejected" | "unsent" | "unknown";
  /** Index in the write of the first record. */
  readonly firstIndex: number;
  /** Number of records. Events that an earlier attempt of a run got accepted, and were left out, are not counted. */
  readonly records: number;
}

/** How far a walk over the pages of a connection came. */
export interface WalkPosition {
  /**
   * Cursor to go on from without losing or repeating a node: as `after` forward, as `before` backward. Undefined where
   * that is the very start.
   */
  readonly cursor: string | undefined;
  /** Number of nodes that were handed out before. */
  readonly nodesYielded: number;
}
