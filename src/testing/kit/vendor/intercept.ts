import { replaceModules } from "./intercept-http.js";
import { replaceDispatcher } from "./intercept-undici.js";
import { InterceptedRequests, type InterceptOptions } from "./intercepted-requests.js";

export interface Interception {
  /** Requests that have begun and have no head of an answer yet. */
  readonly pending: number;
  /** Puts back what was there before. */
  restore(): void;
}

/**
 * Sends the HTTP requests of this process to a simulated vendor: those of fetch and undici (its global dispatcher) and of
 * the modules http and https. Not those of http2, of raw sockets, of child processes, of dispatchers that a caller passes
 * to undici, and of functions that a test of Jest imports by name from `node:http` or `node:https`.
 */
export function intercept(options: InterceptOptions): Interception {
  const requests = new InterceptedRequests(options);
  const restoreDispatcher = replaceDispatcher(requests);
  const restoreModules = replaceModules(requests);
  return {
    get pending() {
      return requests.pending;
    },
    restore() {
      restoreModules();
      restoreDispatcher();
    },
  };
}
