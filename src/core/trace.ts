/** The calls that have a tracing channel, named `saas-management.` plus the call. */
export const CALLS = [
  "graphql.operation",
  "graphql.walk",
  "sync.run",
  "sync.batch",
  "sync.write",
  "sync.rpc",
] as const;

export type TracedCall = (typeof CALLS)[number];

/**
 * The message that subscribers of the tracing channels `saas-management.…` (`node:diagnostics_channel`) receive: one
 * object for each call, from its `start` to its `asyncEnd`. Contains names and numbers only, never a key, a document, a
 * variable or a record.
 */
export interface ChannelMessage {
  /**
   * - `graphql.operation`: name of the operation.
   * - `graphql.walk`: the list being read, such as `licenses`; `paginate` for a document of your own.
   * - `sync.rpc`: name of the RPC.
   */
  readonly operation?: string | undefined;
  /** Origin of the service. */
  readonly endpoint?: string | undefined;
  /** Sync API. */
  readonly installationId?: string | undefined;
  /** Sync API: id of the batch; for `sync.batch`, set once the batch has one. */
  batchId?: string | undefined;
  /** `sync.batch`: number of the batch within its run, from 1. */
  readonly attempt?: number | undefined;
  /** `sync.batch`: how long the batch waited for the lock, in milliseconds; set once the batch has an id. */
  waitedForLockMs?: number | undefined;
  /** `sync.write`, and `sync.rpc` of a write: the collection being written. */
  readonly collection?: string | undefined;
  /** `sync.rpc` of a batch: the time left on the lease when the call begins, in milliseconds. */
  readonly leaseRemainingMs?: number | undefined;
  /**
   * What this call and all calls within it send as HTTP headers or gRPC metadata. Subscribers of `start` add entries,
   * such as `traceparent`. The SDK ignores names that it or the connection sets, and values that can't be sent.
   */
  readonly carrier: Record<string, string>;
  /** Subscribers of `start` may set `enter` to run the call in a context of their own. */
  enter?: (<T>(work: () => T) => T) | undefined;
  /** The call that this one is part of. */
  readonly parent?: ChannelMessage | undefined;
  /**
   * Figures about the result: a `RunReceipt`, `WriteStats`, or the pages of a walk. For a batch, its state, even if the
   * batch failed.
   */
  result?: object | undefined;
  /** The error that the call throws. */
  error?: unknown;
}

interface Publisher {
  publish(message: ChannelMessage): void;
}

/**
 * Node's TracingChannel, declared here because Node's own types would make the compiler of a browser project load all
 * of them.
 */
interface Channel {
  readonly hasSubscribers: boolean;
  readonly start: { runStores(message: ChannelMessage, work: () => void): void };
  readonly end: Publisher;
  readonly asyncStart: Publisher;
  readonly asyncEnd: Publisher;
  readonly error: Publisher;
}

// Looked up rather than imported, because browsers have neither module.
const { process } = globalThis;
const diagnostics = process?.getBuiltinModule?.("node:diagnostics_channel");
const hooks = process?.getBuiltinModule?.("node:async_hooks");

// Keeps the channels, because Node drops a channel that nothing refers to.
const CHANNELS: ReadonlyMap<TracedCall, Channel> = new Map(
  CALLS.flatMap((call) => {
    const channel = diagnostics?.tracingChannel?.<object, ChannelMessage>(`saas-management.${call}`);
    return channel === undefined ? [] : [[call, channel]];
  }),
);

const ATTEMPTS = diagnostics?.channel("saas-management.attempt");

/** The call that the running code is part of. */
const current = hooks && new hooks.AsyncLocalStorage<ChannelMessage>();

type Run = <T>(work: () => T) => T;

type Facts = Omit<ChannelMessage, "carrier">;

/** A call with subscribers. Ends exactly once. */
export class Trace {
  readonly message: ChannelMessage;
  /** Runs the call's work in the context that its subscribers set. */
  readonly run: Run;
  readonly #channel: Channel;
  #isOver = false;

  constructor(channel: Channel, facts: Facts, snapshot: () => Run) {
    this.#channel = channel;
    this.message = { ...facts, carrier: { ...facts.parent?.carrier } };
    const { message } = this;
    let inStores: Run = (work) => work();
    channel.start.runStores(message, () => {
      // `tracePromise` doesn't fit, because a batch and a walk are a series of calls.
      const take = () => {
        inStores = snapshot();
      };
      current?.run(message, take);
    });
    const { enter } = message;
    this.run = enter === undefined ? inStores : (work) => inStores(() => enter(work));
    channel.end.publish(message);
  }

  /** Publishes an event of one attempt. */
  attempt(event: object): void {
    if (ATTEMPTS?.hasSubscribers !== true) return;
    this.run(() => ATTEMPTS.publish({ call: this.message, event }));
  }

  /** @param result Figures only, because subscribers see the result. */
  ended(result?: object): void {
    this.#end(() => {
      this.message.result = result;
    });
  }

  failed(error: unknown, result?: object): void {
    this.#end(() => {
      this.message.result = result;
      this.message.error = error;
      this.#channel.error.publish(this.message);
    });
  }

  #end(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.run(() => {
      tell();
      this.#channel.asyncStart.publish(this.message);
      this.#channel.asyncEnd.publish(this.message);
    });
  }
}

/**
 * Begins a call that ends later.
 * @param parent The call around this one, used if the running code isn't part of a call.
 * @returns undefined if neither the call nor the one around it has subscribers
 */
export function openTrace(call: TracedCall, facts: () => Facts, parent?: ChannelMessage): Trace | undefined {
  const channel = CHANNELS.get(call);
  if (channel === undefined || hooks === undefined) return undefined;
  const around = current?.getStore() ?? parent;
  if (!channel.hasSubscribers && around === undefined) return undefined;
  return new Trace(channel, { ...facts(), parent: around }, () => hooks.AsyncLocalStorage.snapshot());
}

/**
 * Runs a call that may have subscribers.
 * @param figures The part of the result that subscribers may see.
 */
export function traced<T>(
  trace: Trace | undefined,
  work: () => Promise<T>,
  figures: (value: T) => object | undefined = () => undefined,
): Promise<T> {
  if (trace === undefined) return work();
  return trace.run(work).then(
    (value) => {
      trace.ended(figures(value));
      return value;
    },
    (error: unknown) => {
      trace.failed(error);
      throw error;
    },
  );
}
