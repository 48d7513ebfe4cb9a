/** Tokens of a full budget. */
const CAPACITY = 500;
/** Tokens that a retry costs. A full budget pays for 100 retries: for 25 operations with the default of 4. */
const RETRY_COST = 5;
/** Tokens that an operation which succeeds at once gives back. */
const SUCCESS_REFUND = 1;

/**
 * How many retries one client may make: a token bucket with the figures of the AWS SDKs' standard mode.
 *
 * Each retry takes tokens out. A retry that succeeds puts its own back, and an operation that succeeds at once puts one
 * back. So a failure here and there is always retried, while a server that fails for everybody gets little more than
 * the first attempts. Nothing depends on time.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Pays for one retry. @returns whether there was enough left */
  take(): boolean {
    if (this.#tokens < RETRY_COST) return false;
    this.#tokens -= RETRY_COST;
    return true;
  }

  /** An operation succeeded, after retries or at once. */
  refund(retried: boolean): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + (retried ? RETRY_COST : SUCCESS_REFUND));
  }
}
