/** Nothing is left behind, and only errors of the SDK come out, without secrets. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { SaasManagementError } from "@saas-management/sdk/graphql";
import { GaveUp } from "../../process-parts.js";
import { CANARY, KEY_CANARY } from "../canary.js";
import type { Simulated } from "../simulate.js";

export function brokenTraceRules(simulated: Simulated): string[] {
  return [...leftovers(simulated), ...strangers(simulated), ...leaks(simulated)];
}

function leftovers(simulated: Simulated): string[] {
  const { settled, observation, clock, unhandled, journal, leftBeforeClose } = simulated;
  const found: string[] = [];
  if (!settled || observation.pending > 0)
    found.push(`leftovers: ${observation.pending} calls never settled`);
  const forgotten = journal.calls.some((call) => call.forgotten === true);
  const timers = Math.max(clock.waiting, forgotten ? 0 : leftBeforeClose);
  if (settled && timers > 0) found.push(`leftovers: ${timers} timers`);
  if (unhandled.length > 0) found.push(`leftovers: unhandled ${unhandled.map(String).join(", ")}`);
  const listeners = observation.signals.flatMap((signal) => getEventListeners(signal, "abort")).length;
  if (settled && listeners > 0) found.push(`leftovers: ${listeners} listeners on callers' signals`);
  const bodies = journal.requests.filter(({ bodyOpen }) => bodyOpen);
  if (settled && bodies.length > 0)
    found.push(`leftovers: ${bodies.length} bodies neither read nor cancelled`);
  return found;
}

/** Every error is an SDK error with a code, or the reason of a cancellation. */
function strangers({ observation }: Simulated): string[] {
  return observation.told
    .filter((told) => told instanceof Error && !(told instanceof GaveUp))
    .filter((error) => !(error instanceof SaasManagementError && /^[A-Z_]+$/.test(error.code)))
    .map((error) => `strangers: ${error instanceof Error ? error.stack : error}`);
}

/** Nothing that is shown or logged contains the key, a variable or a row. */
function leaks({ observation, client }: Simulated): string[] {
  const shown = [client, ...observation.told].flatMap((told) => [
    String(told),
    inspect(told, { depth: 9 }),
    JSON.stringify(told) ?? "",
    told instanceof Error ? (told.stack ?? "") : "",
  ]);
  // The service's own messages may contain anything but the key.
  const said = observation.told.flatMap((told) =>
    told instanceof SaasManagementError
      ? [told.serverMessage ?? "", told.requestId ?? "", JSON.stringify(Reflect.get(told, "errors")) ?? ""]
      : [],
  );
  const found = (texts: readonly string[], secret: string) => texts.some((text) => text.includes(secret));
  return [
    ...(found(shown, CANARY) ? ["secrets: a variable, a row or a cursor came out"] : []),
    ...(found([...shown, ...said], KEY_CANARY) ? ["secrets: the key came out"] : []),
  ];
}
