/** What became of the locks that a client asked for, by what it was told. */
export class LockLog {
  /** Batches whose start got an answer. */
  readonly heard = new Set<string>();
  /** Batches whose start was answered when the client was closed already. */
  readonly heardTooLate = new Set<string>();
  /** Batches of which an abort was disturbed or refused. */
  readonly failedAborts = new Set<string>();
  /** Number of starts that went out and got no answer. */
  unanswered = 0;
  /** Number of starts that nobody has answered yet. */
  underWay = 0;
  /** Its process has died. */
  crashed = false;
  /** It is closed, and has done waiting. */
  closed = false;

  /** A start was answered. */
  started(batchId: string): void {
    (this.closed ? this.heardTooLate : this.heard).add(batchId);
  }

  /** Number of batches that may have been started without the client's knowledge. */
  get unknown(): number {
    return this.unanswered + (this.closed || this.crashed ? this.underWay : 0);
  }

  /** Whether the client cannot have released the lock of a batch that it started. */
  excuses(batchId: string): boolean {
    return this.heard.has(batchId)
      ? this.crashed || this.failedAborts.has(batchId)
      : this.heardTooLate.has(batchId);
  }
}
