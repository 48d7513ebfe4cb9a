import type { ClientEvent, Logger } from "@saas-management/sdk";

/** A hook that records its events. */
export interface ObservedHooks {
  readonly hooks: { onEvent(event: ClientEvent): void };
  readonly requests: readonly ClientEvent[];
  readonly responses: readonly ClientEvent[];
  readonly retries: readonly ClientEvent[];
  /** All recorded events in order: `request 1`, `response 1`, `retry 1`, … */
  readonly order: readonly string[];
}

export function observedHooks(): ObservedHooks {
  const events = { request: [] as ClientEvent[], response: [] as ClientEvent[], retry: [] as ClientEvent[] };
  const order: string[] = [];
  const onEvent = (event: ClientEvent): void => {
    events[event.type].push(event);
    order.push(`${event.type} ${event.attempt}`);
  };
  const { request: requests, response: responses, retry: retries } = events;
  return { hooks: { onEvent }, requests, responses, retries, order };
}

const quiet = () => {};

/** A logger with the given methods that ignores all other lines. */
export function quietLogger(heard: Partial<Logger>): Logger {
  return { debug: quiet, info: quiet, warn: quiet, error: quiet, ...heard };
}
