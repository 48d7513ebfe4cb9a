import { Lazy } from "../../core/lazy.js";
import { loadWithin } from "../../core/load-within.js";
import type { CommonConfiguration } from "../../core/options.js";

/** What needs graphql and graphql-request: loaded with the first request. */
export const wire = new Lazy("What GraphQL requests need", () => import("./wire.js"));

/** Loads it for one request, for no longer than that may take. */
export function loadWire({ clock, timeoutMs }: CommonConfiguration, cancellation: AbortController) {
  return loadWithin(wire, {
    clock,
    timeoutMs,
    cancellation,
    operation: "Loading what GraphQL requests need",
  });
}
