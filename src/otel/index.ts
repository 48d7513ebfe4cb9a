/**
 * OpenTelemetry for both APIs: turns the tracing channels into spans and metrics. Requires `@opentelemetry/api`.
 *
 * @packageDocumentation
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type MeterProvider, metrics, type TracerProvider, trace } from "@opentelemetry/api";
import { ConfigurationError } from "../core/errors/index.js";
import type { AttemptMessage } from "../core/hooks.js";
import { CALLS, type ChannelMessage } from "../core/trace.js";
import { VERSION } from "../core/version.js";
import { Metrics } from "./metrics.js";
import { Spans } from "./spans.js";

const NAME = "@saas-management/sdk";

/** Stops what the latest call of `instrument` started. */
let stopLast = (): void => {};

/**
 * Records spans and metrics for all clients of this process: a span for each run, batch, write, walk, operation and
 * RPC. Spans and metrics contain only names and numbers, never a key, a document, a variable or a record. A second call
 * of `instrument` replaces the first.
 *
 * @param options.tracerProvider The `TracerProvider` for the spans, by default the global one.
 * @param options.meterProvider The `MeterProvider` for the metrics, by default the global one.
 * @returns a function that stops the instrumentation
 * @throws {ConfigurationError} a provider is invalid
 * @example
 * ```ts
 * const stop = instrument();
 * ```
 */
export function instrument(
  options: { readonly tracerProvider?: object | undefined; readonly meterProvider?: object | undefined } = {},
): () => void {
  const { tracerProvider = trace, meterProvider = metrics } = options;
  if (!isTracerProvider(tracerProvider))
    throw new ConfigurationError("tracerProvider must be a TracerProvider: it lacks getTracer.");
  if (!isMeterProvider(meterProvider))
    throw new ConfigurationError("meterProvider must be a MeterProvider: it lacks getMeter.");
  const spans = new Spans(tracerProvider.getTracer(NAME, VERSION));
  const meters = new Metrics(meterProvider.getMeter(NAME, VERSION));
  stopLast();
  const stops: (() => void)[] = [];
  const listen = <Message>(name: string, listener: (message: Message) => void): void => {
    const hear = (message: unknown): void => listener(message as Message);
    subscribe(name, hear);
    stops.push(() => unsubscribe(name, hear));
  };
  for (const call of CALLS) {
    const channel = `tracing:saas-management.${call}`;
    listen<ChannelMessage>(`${channel}:start`, (message) => {
      meters.started(call, message);
      spans.started(call, message);
    });
    listen<ChannelMessage>(`${channel}:asyncEnd`, (message) => {
      meters.ended(call, message);
      spans.ended(call, message);
    });
  }
  listen<AttemptMessage>("saas-management.attempt", (message) => {
    meters.attempted(message);
    spans.attempted(message);
  });
  stopLast = () => {
    for (const stop of stops.splice(0)) stop();
  };
  return stopLast;
}

// With these checks, the options can have the type `object`, so the declarations don't import `@opentelemetry/api`.
function isTracerProvider(value: object): value is TracerProvider {
  return "getTracer" in value;
}

function isMeterProvider(value: object): value is MeterProvider {
  return "getMeter" in value;
}
