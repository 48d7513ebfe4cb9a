import type { SimClock } from "../sim-clock.js";
import type { KeySpec } from "./program.js";
import type { SimService } from "./service.js";

class KeyFailure extends Error {}

/** The `apiKey` of a simulated client. */
export function keyOption(
  spec: KeySpec,
  service: SimService,
  clock: SimClock,
): string | (() => string | Promise<string>) {
  const first = service.key;
  if (spec.form === "text") return first;
  const { rotates, slowMs, failsAt, stallsAt } = spec;
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === stallsAt) return new Promise<string>(() => {});
    if (slowMs > 0) await clock.sleepElsewhere(slowMs);
    if (calls === failsAt) throw new KeyFailure("no key to be had");
    return rotates ? service.key : first;
  };
}
