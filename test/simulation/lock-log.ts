/** What a client knows about the locks that it asked for. */
export class LockLog {
  /** Batches whose start was answered. */
  readonly heard = new Set<string>();
  /** Batches whose start was answered after the client was closed. */
  readonly heardTooLate = new Set<string>();
  /** Batches whose abort was refused, or struck by a fault. */
  readonly failedAborts = new Set<string>();
  /** Number of starts that were sent and never answered. */
  unanswered = 0;
  /** Number of starts that are waiting for an answer. */
  underWay = 0;
  /** The client's process has died. */
  crashed = false;
  /** The client is closed, and no longer waits for anything. */
  closed = false;

  /** Notes that a start was answered. */
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
