import type { GraphQLClient } from "@saas-management/sdk/graphql";
import type { Observation } from "../observation.js";
import { GaveUp } from "../process-parts.js";
import type { SimClock } from "../sim-clock.js";
import type { ObservedRead } from "./caller.js";
import type { Call, Journal } from "./journal.js";
import type { CallLimits } from "./program.js";
import type { ObservedWalk } from "./walks.js";

export interface CallerParts {
  readonly client: GraphQLClient;
  readonly clock: SimClock;
  readonly journal: Journal;
  readonly observation: Observation;
  readonly walks: ObservedWalk[];
  readonly reads: ObservedRead[];
}

/** A call that can be cancelled. */
export interface Cancellable {
  readonly call: Call;
  /** Options of the call. */
  readonly options: {
    readonly signal: AbortSignal | undefined;
    readonly timeoutMs: number;
    readonly retry: { readonly retries: number } | false;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Aborts the signal. */
  readonly abort: () => void;
  /** To be called right after the call: starts the time until it is cancelled. */
  readonly made: () => void;
}

/** Begins a call. @param withSignal Whether it has a signal although it is not cancelled by time. */
export function begin(
  { clock, journal, observation }: CallerParts,
  { timeoutMs, retries, abortAfterMs }: CallLimits,
  what: Pick<Call, "kind" | "repeatable" | "raw">,
  withSignal = false,
): Cancellable {
  const call = journal.begin({ ...what, timeoutMs, retries });
  const controller = new AbortController();
  const given = withSignal || abortAfterMs !== undefined;
  if (given) observation.signals.push(controller.signal);
  const abort = () => {
    if (call.settled !== undefined || controller.signal.aborted) return;
    controller.abort(new GaveUp());
    journal.givenUp(call, "after its signal has aborted");
  };
  return {
    call,
    abort,
    made: () => {
      if (abortAfterMs === 0) abort();
      else if (abortAfterMs !== undefined) clock.elsewhere(abortAfterMs, abort);
    },
    options: {
      signal: given ? controller.signal : undefined,
      timeoutMs,
      retry: retries === 0 ? false : { retries },
      headers: { "x-call": call.id },
    },
  };
}
