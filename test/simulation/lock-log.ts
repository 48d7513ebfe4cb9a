/** What became of the locks that a client asked for, as far as it was told. */
export class LockLog {
  /** Batches whose start got an answer. */
  readonly heard = new Set<string>();
  /** Batches whose start was answered after the client was closed. */
  readonly heardTooLate = new Set<string>();
  /** Batches whose abort was disturbed or refused. */
  readonly failedAborts = new Set<string>();
  /** Number of starts that went out and got no answer. */
  unanswered = 0;
  /** Number of starts that are still unanswered. */
  underWay = 0;
  /** Its process has died. */
  crashed = false;
  /** It is closed, and no longer waits for anything. */
  closed = false;

  /** A start was answered. */
  started(batchId: string): void {
    (this.closed ? this.heardTooLate : this.heard).add(batchId);
  }

  /** Number of batches that may have been started without the client's knowledge. */
  get unknown(): number {
    return this.unanswered + (this.closed || this.crashed ? this.underWay : 0);
  }

  /** Whether the client could not release the lock of a batch that it started. */
  excuses(batchId: string): boolean {
    return this.heard.has(batchId)
      ? this.crashed || this.failedAborts.has(batchId)
      : this.heardTooLate.has(batchId);
  }
}
