import { runInThisContext } from "node:vm";
import { Agent, type Dispatcher } from "undici/index.js";
import { isObject } from "../../../core/validate.js";
import { leaveVirtualTime } from "../time/context.js";
import type { Take, Taken } from "./messages.js";

/** The keys under which undici's versions, including the one in Node, keep the default dispatcher. */
const GLOBAL_DISPATCHERS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")];

/** Intercepts undici and fetch without replacing fetch, so redirects and `response.url` have the vendor's address. */
export function replaceDispatcher(take: Take): () => void {
  // Jest has its own global object, besides the one that Node's fetch uses.
  const globals: ReadonlySet<object> = new Set([globalThis, runInThisContext("globalThis")]);
  const undo: (() => void)[] = [];
  for (const holder of globals) {
    for (const symbol of GLOBAL_DISPATCHERS) {
      const before: unknown = Reflect.get(holder, symbol);
      if (!isDispatcher(before)) continue;
      const dispatcher = new VendorDispatcher(take, before);
      Reflect.set(holder, symbol, dispatcher);
      undo.push(() => {
        Reflect.set(holder, symbol, before);
        dispatcher.end();
      });
    }
  }
  return () => {
    for (const restore of undo) restore();
  };
}

function isDispatcher(value: unknown): value is Dispatcher {
  return isObject(value) && typeof Reflect.get(value, "dispatch") === "function";
}

class VendorDispatcher extends Agent {
  constructor(
    readonly take: Take,
    readonly before: Dispatcher,
  ) {
    super({ headersTimeout: 0, bodyTimeout: 0 });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const taken = this.take(new URL(String(options.origin)).origin);
    if (taken === undefined) return this.before.dispatch(options, handler);
    const origin = `http://127.0.0.1:${taken.port}`;
    const headers = [...flatHeaders(options.headers), ...Object.entries(taken.headers).flat()];
    // The agent's timers must not be virtual.
    return leaveVirtualTime(() =>
      super.dispatch({ ...options, origin, headers }, watchedHandler(handler, taken)),
    );
  }

  // A connector may close the global dispatcher when it's done, but the next run needs it.
  override close(callback: () => void): void;
  override close(): Promise<void>;
  override close(callback?: () => void): unknown {
    return Promise.resolve().then(callback);
  }

  override destroy(error: Error | null, callback: () => void): void;
  override destroy(callback: () => void): void;
  override destroy(error?: Error | null): Promise<void>;
  override destroy(...[first, second]: unknown[]): unknown {
    const callback = [first, second].find((argument) => typeof argument === "function");
    return Promise.resolve().then(() => callback?.());
  }

  /** Ends the run: its later requests fail. */
  end(): void {
    super.destroy().catch(() => {});
  }
}

/** Alternating names and values, which all versions of undici accept. */
function flatHeaders(headers: Dispatcher.DispatchOptions["headers"]): string[] {
  if (headers === undefined || headers === null) return [];
  if (Array.isArray(headers)) return headers;
  const entries = isIterable(headers) ? [...headers] : Object.entries(headers);
  return entries.flatMap(([name, value = []]) => [value].flat().flatMap((one) => [name, one]));
}

function isIterable(headers: object): headers is Iterable<[string, string | string[] | undefined]> {
  return Symbol.iterator in headers;
}

/** Handler methods, old and new, that report the response headers or a failure. */
const ANSWERED: ReadonlySet<PropertyKey> = new Set([
  "onHeaders",
  "onUpgrade",
  "onError",
  "onResponseStart",
  "onRequestUpgrade",
  "onResponseError",
]);

function watchedHandler(
  handler: Dispatcher.DispatchHandler,
  { answered }: Taken,
): Dispatcher.DispatchHandler {
  return new Proxy(handler, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...parameters: unknown[]) => {
        if (ANSWERED.has(name)) answered();
        return Reflect.apply(method, target, parameters);
      };
    },
  });
}
