import type { HookOptions, Logger, RequestEvent, ResponseEvent, RetryEvent } from "@saas-management/sdk";

/** Hooks that record their events. */
export interface ObservedHooks {
  readonly hooks: Required<HookOptions>;
  readonly requests: readonly RequestEvent[];
  readonly responses: readonly ResponseEvent[];
  readonly retries: readonly RetryEvent[];
  /** All of them, in order: `request 1`, `response 1`, `retry 1`, … */
  readonly order: readonly string[];
}

export function observedHooks(): ObservedHooks {
  const requests: RequestEvent[] = [];
  const responses: ResponseEvent[] = [];
  const retries: RetryEvent[] = [];
  const order: string[] = [];
  const keep =
    <Event extends RequestEvent>(name: string, events: Event[]) =>
    (event: Event): void => {
      events.push(event);
      order.push(`${name} ${event.attempt}`);
    };
  const hooks = {
    onRequest: keep("request", requests),
    onResponse: keep("response", responses),
    onRetry: keep("retry", retries),
  };
  return { hooks, requests, responses, retries, order };
}

const quiet = () => {};

/** A logger with the given methods that ignores all other lines. */
export function quietLogger(heard: Partial<Logger>): Logger {
  return { debug: quiet, info: quiet, warn: quiet, error: quiet, ...heard };
}
