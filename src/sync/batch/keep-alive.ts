import type { Clock } from "../../core/clock.js";
import { BatchStateError, InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { WIRE } from "../generated/collections.js";
import { LEASE_MS, momentOf } from "../lease.js";
import { writing } from "../write/load-writing.js";
import type { BatchSession } from "./session.js";
import { meaningOf } from "./state.js";

/** How long after a message that failed the next one is sent, in milliseconds. */
const PAUSE_MS = 30_000;

/** Event collection that the empty messages are of. */
const COLLECTION = "usage";

/** Keeps the lease of a batch alive while its source is silent. */
export interface KeepAliveOptions {
  /** How long the batch may be silent before its lease is allowed to run out, in milliseconds. */
  readonly maxIdleMs: number;
}

/** The names of {@link KeepAliveOptions}. */
export const KEEP_ALIVE_NAMES = { maxIdleMs: true } satisfies KeysOf<KeepAliveOptions>;

/** Checks the option. @throws {InvalidInputError} `maxIdleMs` is not a positive, finite number */
export function checkKeepAlive(keepAlive: KeepAliveOptions | undefined): void {
  if (keepAlive === undefined || (Number.isFinite(keepAlive.maxIdleMs) && keepAlive.maxIdleMs > 0)) return;
  throw new InvalidInputError("keepAlive.maxIdleMs must be a positive, finite number of milliseconds.");
}

/**
 * Renews the lease with an empty message when nothing was sent for half of it, again after a pause where that failed,
 * until the batch ends; not while it has been silent for `maxIdleMs`. The message is an empty one of an event
 * collection, which removes nothing under any reading of the service's description; that it renews the lease is an
 * assumption.
 */
export function startKeepAlive(session: BatchSession, { maxIdleMs }: KeepAliveOptions): void {
  const { clock } = session.configuration;
  const renew = async (): Promise<void> => {
    const { MessageBuilder } = writing.loaded ?? (await writing.load(session.signal));
    const { bytes } = new MessageBuilder(session.id, WIRE[COLLECTION].fieldNumber, 1).flush();
    await session.sendAlone(COLLECTION, bytes, momentOf(clock));
  };
  const check = (): void => {
    const untilHalf = session.lease.remainingMs - LEASE_MS / 2;
    if (untilHalf > 0) {
      next(untilHalf);
      return;
    }
    if (idleMs(session, clock) >= maxIdleMs) {
      // What is written while the lease lasts ends the silence.
      next(LEASE_MS / 2);
      return;
    }
    renew().then(
      () => next(LEASE_MS / 2),
      (error: unknown) => {
        const told = meaningOf("The call", error);
        if (told instanceof BatchStateError) {
          session.fail(told);
          session.end(told);
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

function idleMs(session: BatchSession, clock: Clock): number {
  return clock.monotonic() - session.lastSentAt;
}
