import { channel } from "node:diagnostics_channel";
import {
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttemptMessage } from "../core/hooks.js";
import type { ChannelMessage, TracedCall } from "../core/trace.js";
import { endAttributes, figuresOf, isRequest, sharedAttributes, spanAttributes } from "./attributes.js";

interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** One span for each call. A request's span is of kind CLIENT; it covers all attempts and has an event for each. */
export class Spans {
  readonly #tracer: Tracer;
  readonly #open = new WeakMap<ChannelMessage, OpenSpan>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  started(call: TracedCall, message: ChannelMessage): void {
    const active = context.active();
    // Callers use a batch outside its own context, so the message names the parent.
    const around = message.parent && this.#open.get(message.parent)?.context;
    const parent = trace.getSpan(active) === undefined ? (around ?? active) : active;
    const kind = isRequest(call) ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const attributes = { ...sharedAttributes(call, message), ...spanAttributes(message) };
    const span = this.#tracer.startSpan(spanName(call, message, attributes), { kind, attributes }, parent);
    const own = trace.setSpan(parent, span);
    this.#open.set(message, { span, context: own });
    const { enter } = message;
    message.enter = (work) => context.with(own, enter === undefined ? work : () => enter(work));
    if (isRequest(call) && !(call === "graphql.operation" && isUndiciWatched()))
      propagation.inject(own, message.carrier);
  }

  attempted({ call, event }: AttemptMessage): void {
    if (event.type !== "response") return;
    const { attempt, outcome, code, durationMs, requestId } = event;
    this.#open.get(call)?.span.addEvent("attempt", {
      "saas_management.attempt": attempt,
      "saas_management.attempt.outcome": outcome,
      "saas_management.attempt.duration_ms": durationMs,
      ...(requestId !== undefined && { "saas_management.request.id": requestId }),
      ...(code !== undefined && { "error.type": code }),
    });
  }

  ended(call: TracedCall, message: ChannelMessage): void {
    const span = this.#open.get(message)?.span;
    if (span === undefined) return;
    span.setAttributes({
      ...spanAttributes(message),
      ...endAttributes(call, message),
      ...figuresOf(call, message),
    });
    if ("error" in message) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

function spanName(call: TracedCall, { operation, collection }: ChannelMessage, attributes: object): string {
  const method: unknown = Reflect.get(attributes, "rpc.method");
  if (typeof method === "string") return method;
  return [`saas-management.${call}`, operation ?? collection].filter(Boolean).join(" ");
}

/** Whether an instrumentation of fetch adds the trace headers itself; headers that are sent twice are invalid. */
function isUndiciWatched(): boolean {
  return channel("undici:request:create").hasSubscribers;
}
