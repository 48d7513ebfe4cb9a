import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { SaasManagementError } from "@saas-management/sdk/graphql";
import { GaveUp } from "../process-parts.js";
import { callViolations } from "./calls-verdict.js";
import { CANARY, KEY } from "./service.js";
import type { Simulated } from "./simulate.js";
import { walkViolations } from "./walks-verdict.js";

/**
 * What must hold after every program, whatever the faults.
 * @returns the violations, each a sentence that begins with the rule's name; none is what is wanted
 */
export function graphqlViolations(simulated: Simulated): readonly string[] {
  return [
    ...simulated.journal.misdeeds,
    ...simulated.walks.flatMap((walk) => walkViolations(walk, simulated)),
    ...simulated.journal.calls.flatMap((call) => callViolations(call, simulated)),
    ...unwantedRequests(simulated),
    ...leftovers(simulated),
    ...strangers(simulated),
    ...leaks(simulated),
  ];
}

/** Nothing is sent for a call that has ended or was cancelled, or after close(). */
function unwantedRequests({ journal: { requests, closing } }: Simulated): string[] {
  return requests.flatMap(({ call, sent, signal, operation }) => {
    const ends = { "was given up": call.givenUp, "had ended": call.settled, "was closed": closing };
    const late = Object.entries(ends).flatMap(([what, moment]) =>
      moment !== undefined && sent.order > moment.order ? [what] : [],
    );
    const found = signal ? late : [...late, "without a signal"];
    return found.map((what) => `cancellation: ${operation} of ${call.id} was sent: ${what}`);
  });
}

function leftovers({
  settled,
  observation,
  clock,
  unhandled,
  journal,
  leftBeforeClose,
}: Simulated): string[] {
  if (!settled || observation.pending > 0) return [`leftovers: ${observation.pending} calls never settled`];
  const isForgotten = journal.calls.some(({ forgotten }) => forgotten === true);
  const left = {
    timers: Math.max(clock.waiting, isForgotten ? 0 : leftBeforeClose),
    "listeners on callers' signals": observation.signals.flatMap((one) => getEventListeners(one, "abort"))
      .length,
    "bodies neither read nor cancelled": journal.requests.filter(({ bodyOpen }) => bodyOpen).length,
    "unhandled rejections": unhandled.length,
  };
  return Object.entries(left).flatMap(([what, count]) =>
    count > 0 ? [`leftovers: ${count} ${what} ${unhandled}`] : [],
  );
}

/** Every error is an SDK error with a code, or the reason of a cancellation. */
function strangers({ observation }: Simulated): string[] {
  return observation.told
    .filter((told) => told instanceof Error && !(told instanceof GaveUp))
    .filter((error) => !(error instanceof SaasManagementError && /^[A-Z_]+$/.test(error.code)))
    .map((error) => `strangers: ${error instanceof Error ? error.stack : error}`);
}

/** Nothing that is shown or logged contains the key, a variable, a row or a cursor. */
function leaks({ observation: { told }, client }: Simulated): string[] {
  const shown = [client, ...told].flatMap((value) => [
    inspect(value, { depth: 9 }),
    JSON.stringify(value) ?? "",
    value instanceof Error ? `${value} ${value.stack}` : "",
  ]);
  // The service's own messages may contain anything but the key.
  const said = told.flatMap((error) =>
    error instanceof SaasManagementError
      ? [error.serverMessage ?? "", error.requestId ?? "", JSON.stringify(Reflect.get(error, "errors")) ?? ""]
      : [],
  );
  const has = (texts: readonly string[], secret: string) => texts.some((text) => text.includes(secret));
  return [
    ...(has(shown, CANARY) ? ["secrets: a variable, a row or a cursor came out"] : []),
    ...(has([...shown, ...said], KEY) ? ["secrets: the key came out"] : []),
  ];
}
