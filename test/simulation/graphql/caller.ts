import type { GraphQLClient } from "@saas-management/sdk/graphql";
import type { Observation } from "../observation.js";
import { GaveUp } from "../process-parts.js";
import type { SimClock } from "../sim-clock.js";
import type { Call, Journal } from "./journal.js";
import type { CallLimits, Program, RequestSpec } from "./program.js";
import { CANARY } from "./service.js";
import { type ObservedWalk, walk } from "./walks.js";

export interface CallerParts {
  readonly client: GraphQLClient;
  readonly clock: SimClock;
  readonly journal: Journal;
  readonly observation: Observation;
  readonly walks: ObservedWalk[];
}

/** Runs the steps of one caller and records the outcomes. Never rejects. */
export async function runCaller(steps: Program["callers"][number], parts: CallerParts): Promise<void> {
  for (const step of steps) {
    if (step.do === "walk") await walk(step, parts);
    else if (step.do === "close") await close(parts);
    else await send(step, parts);
  }
}

/** Closes the client: from now on nothing may be sent, and nothing may be left when it has closed. */
export async function close({ client, journal, observation }: CallerParts): Promise<void> {
  const closed = client.close();
  journal.closing ??= journal.moment();
  journal.mustBeOver("after close() was called");
  await observation.settle(closed);
}

async function send(spec: RequestSpec, parts: CallerParts): Promise<void> {
  const { client, journal } = parts;
  const kind = spec.do === "query" ? "query" : "mutation";
  const isIdempotent = kind === "mutation" && spec.idempotent;
  const what = { kind, repeatable: kind === "query" || isIdempotent } as const;
  const { call, options, made } = begin(parts, spec.limits, what);
  const own = { ...options, ...(isIdempotent && { idempotent: true }) };
  const note = `${call.id} ${CANARY}`;
  const answer =
    spec.do === "create"
      ? client.createProcurementCase({ name: note, state: "PRE" }, own)
      : client.request<unknown>(
          kind === "query"
            ? "query Own($note: String) { own(note: $note) { id note } }"
            : "mutation Change($note: String) { change(note: $note) { id note } }",
          { note },
          own,
        );
  made();
  const outcome = await journal.step<unknown>(call, answer);
  journal.settled(call);
  call.value = outcome?.value;
}

/** Begins a call. @param withSignal Whether it has a signal although it is not cancelled by time */
export function begin(
  { clock, journal, observation }: CallerParts,
  { timeoutMs, retries, abortAfterMs }: CallLimits,
  what: Pick<Call, "kind" | "repeatable">,
  withSignal = false,
) {
  const call = journal.begin({ ...what, timeoutMs, retries });
  const controller = new AbortController();
  const isGiven = withSignal || abortAfterMs !== undefined;
  if (isGiven) observation.signals.push(controller.signal);
  const abort = () => {
    if (call.settled !== undefined || controller.signal.aborted) return;
    controller.abort(new GaveUp());
    journal.givenUp(call, "after its signal has aborted");
  };
  /** To be called right after the call: starts the time until it is cancelled. */
  const made = () => {
    if (abortAfterMs === 0) abort();
    else if (abortAfterMs !== undefined) clock.elsewhere(abortAfterMs, abort);
  };
  const options = {
    signal: isGiven ? controller.signal : undefined,
    timeoutMs,
    retry: retries === 0 ? (false as const) : { retries },
    headers: { "x-call": call.id },
  };
  return { call, abort, made, options };
}

export type Begun = ReturnType<typeof begin>;
