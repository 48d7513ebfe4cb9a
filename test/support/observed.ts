import type { HookOptions, RequestEvent, ResponseEvent, RetryEvent } from "@saas-management/sdk/graphql";

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
