import { BatchStateError } from "../../core/errors/index.js";
import { WIRE } from "../generated/collections.js";
import { LEASE_MS, momentOf } from "../lease.js";
import { meaningOfWrite } from "./batch-errors.js";
import type { BatchSession } from "./session.js";
import { loadWriting } from "./write-queue.js";

/** How long after a message that failed the next one is sent, in milliseconds. */
const PAUSE_MS = 30_000;

const COLLECTION = "usage";

/**
 * Renews the lease with an empty message when nothing was sent for half of it, until the batch ends or has been silent
 * for `maxIdleMs`. An empty message of an event collection removes nothing under any reading of the service
 * description; that it renews the lease is an assumption.
 */
export function startKeepAlive(session: BatchSession, maxIdleMs: number): void {
  const { clock } = session.configuration;
  const renew = async (): Promise<void> => {
    const { MessageBuilder } = await loadWriting();
    const { bytes } = new MessageBuilder(session.id, WIRE[COLLECTION], 1).flush();
    await session.sendAlone(bytes, momentOf(clock));
  };
  const check = (): void => {
    const untilHalf = session.lease.remainingMs - LEASE_MS / 2;
    if (untilHalf > 0 || session.idleMs >= maxIdleMs) {
      // After a long silence, a write that comes while the lease lasts ends it.
      next(untilHalf > 0 ? untilHalf : LEASE_MS / 2);
      return;
    }
    renew().then(
      () => next(LEASE_MS / 2),
      (failure: unknown) => {
        const error = meaningOfWrite("The call", failure);
        if (error instanceof BatchStateError) {
          session.fail(error);
          session.end(error);
        }
        next(PAUSE_MS);
      },
    );
  };
  let stop = () => {};
  const next = (ms: number): void => {
    if (!session.signal.aborted) stop = clock.after(ms, check);
  };
  session.signal.addEventListener("abort", () => stop(), { once: true });
  next(LEASE_MS / 2);
}
