import { type VendorRoute, virtualTime } from "../time/context.js";
import { replaceModules } from "./intercept-http.js";
import { replaceDispatcher } from "./intercept-undici.js";
import { ORIGIN_HEADER, RUN_HEADER } from "./messages.js";

/**
 * Sends the HTTP requests of this process to a simulated vendor: those of fetch and undici (its global dispatcher) and of
 * the modules http and https. Not those of http2, of raw sockets, of child processes, of dispatchers that a caller passes
 * to undici, and of functions that a test of Jest imports by name from `node:http` or `node:https`.
 * @param routeOf Where a request goes that begins now, in the async context of its caller; undefined: to its own address.
 * @returns puts back what was there before
 */
export function intercept(routeOf: () => VendorRoute | undefined = () => virtualTime()?.route): () => void {
  const take = (origin: string) => {
    const route = routeOf();
    if (route === undefined) return undefined;
    route.pending += 1;
    let isPending = true;
    return {
      port: route.port,
      headers: { [RUN_HEADER]: route.run, [ORIGIN_HEADER]: origin },
      answered: () => {
        if (isPending) route.pending -= 1;
        isPending = false;
      },
    };
  };
  const restoreDispatcher = replaceDispatcher(take);
  const restoreModules = replaceModules(take);
  return () => {
    restoreModules();
    restoreDispatcher();
  };
}
