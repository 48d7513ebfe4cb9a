/** Rules for processes: what they leave behind, and what they output. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { SaasManagementError } from "@saas-management/sdk";
import { API_KEY } from "./faulty-network.js";
import { CANARY } from "./messages.js";
import { GaveUp } from "./process-parts.js";
import type { Simulated } from "./simulate.js";
import { SourceFailure } from "./source.js";

export function brokenProcessRules(simulated: Simulated): string[] {
  return [...leftovers(simulated), ...strangers(simulated), ...leaks(simulated)];
}

/** Every call has settled, and nothing is left behind. */
function leftovers({ settled, observation, clock, unhandled, leftFiles }: Simulated): string[] {
  const found: string[] = [...leftFiles];
  if (!settled || observation.pending > 0) found.push(`${observation.pending} calls never settled`);
  if (settled && clock.waiting > 0) found.push(`${clock.waiting} timers are left`);
  if (unhandled.length > 0) found.push(`unhandled rejections: ${unhandled.map(String).join(", ")}`);
  const listeners = observation.signals.flatMap((signal) => getEventListeners(signal, "abort")).length;
  if (settled && listeners > 0) found.push(`${listeners} listeners are left on signals`);
  return found;
}

/** Every error is the SDK's or the source's, or the reason of a caller who gave up. */
function strangers({ observation }: Simulated): string[] {
  return observation.told
    .filter((told) => told instanceof Error)
    .filter(
      (error) =>
        !(error instanceof SaasManagementError || error instanceof SourceFailure || error instanceof GaveUp),
    )
    .map((error) => `a foreign error came out: ${error.stack}`);
}

/** No output contains the key or a record's contents. */
function leaks({ observation }: Simulated): string[] {
  const texts = observation.told.flatMap((told) => [
    String(told),
    inspect(told, { depth: 9 }),
    JSON.stringify(told) ?? "",
    told instanceof Error ? (told.stack ?? "") : "",
  ]);
  const found = (secret: string) => texts.some((text) => text.includes(secret));
  return [...(found(CANARY) ? ["a record came out"] : []), ...(found(API_KEY) ? ["the key came out"] : [])];
}
