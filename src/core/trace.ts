/** The calls that have a tracing channel, `saas-management.` and this name. */
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
 * What subscribers of the tracing channels `saas-management.…` of `node:diagnostics_channel` get: one object for each
 * call, from its `start` to its `asyncEnd`. Names and numbers only: never a key, a document, a variable or a record.
 */
export interface ChannelMessage {
  /**
   * - `graphql.operation`: name of the operation.
   * - `graphql.walk`: what is walked over, such as `licenses`; `paginate` for a document of your own.
   * - `sync.rpc`: name of the RPC.
   */
  readonly operation?: string | undefined;
  /** Origin of the service. */
  readonly endpoint?: string | undefined;
  /** Sync API. */
  readonly installationId?: string | undefined;
  /** Sync API: the batch; of `sync.batch` once it has an id. */
  batchId?: string | undefined;
  /** `sync.batch`: number of the run's batch, from 1. */
  readonly attempt?: number | undefined;
  /** `sync.batch`: how long it waited for the lock, in milliseconds; once it has an id. */
  waitedForLockMs?: number | undefined;
  /** `sync.write`, and `sync.rpc` of a write: what is written. */
  readonly collection?: string | undefined;
  /** `sync.rpc` of a batch: what is left of the lease when the call begins, in milliseconds. */
  readonly leaseRemainingMs?: number | undefined;
  /**
   * Sent as HTTP headers and gRPC metadata by the call and by all calls in it. Subscribers of `start` add entries, such
   * as `traceparent`. Names that the SDK or the connection sets, and values that cannot be sent, are ignored.
   */
  readonly carrier: Record<string, string>;
  /** Subscribers of `start` may set it, to do the work of the call in a context of their own. */
  enter?: (<T>(work: () => T) => T) | undefined;
  /** The call that this one is a part of. */
  readonly parent?: ChannelMessage | undefined;
  /** Figures: a `RunReceipt`, `WriteStats`, the pages of a walk; the state of a batch also if it failed. */
  result?: object | undefined;
  /** What the call throws. */
  error?: unknown;
}

interface Publisher {
  publish(message: ChannelMessage): void;
}

/** Node's TracingChannel: types of Node in a declaration would make a page's compiler load them. */
interface Channel {
  readonly hasSubscribers: boolean;
  readonly start: { runStores(message: ChannelMessage, work: () => void): void };
  readonly end: Publisher;
  readonly asyncStart: Publisher;
  readonly asyncEnd: Publisher;
  readonly error: Publisher;
}

// Looked up, not imported: browsers have neither.
const { process } = globalThis;
const diagnostics = process?.getBuiltinModule?.("node:diagnostics_channel");
const hooks = process?.getBuiltinModule?.("node:async_hooks");

// Kept: Node forgets a channel that nobody holds.
const CHANNELS: ReadonlyMap<TracedCall, Channel> = new Map(
  CALLS.flatMap((call) => {
    const channel = diagnostics?.tracingChannel?.<object, ChannelMessage>(`saas-management.${call}`);
    return channel === undefined ? [] : [[call, channel]];
  }),
);

const ATTEMPTS = diagnostics?.channel("saas-management.attempt");

/** The call that this code is a part of. */
const current = hooks && new hooks.AsyncLocalStorage<ChannelMessage>();

type Run = <T>(work: () => T) => T;

type Facts = Omit<ChannelMessage, "carrier">;

/** One call that somebody watches. Ends once. */
export class Trace {
  readonly message: ChannelMessage;
  /** Does work of the call in the context that its subscribers made. */
  readonly run: Run;
  readonly #channel: Channel;
  #isOver = false;

  constructor(channel: Channel, facts: Facts, snapshot: () => Run) {
    this.#channel = channel;
    this.message = { ...facts, carrier: { ...facts.parent?.carrier } };
    const { message } = this;
    let inStores: Run = (work) => work();
    channel.start.runStores(message, () => {
      // Not the promise of one function: a batch and a walk are a series of calls.
      const take = () => {
        inStores = snapshot();
      };
      current?.run(message, take);
    });
    const { enter } = message;
    this.run = enter === undefined ? inStores : (work) => inStores(() => enter(work));
    channel.end.publish(message);
  }

  /** Tells about an event of one attempt. */
  attempt(event: object): void {
    if (ATTEMPTS?.hasSubscribers !== true) return;
    this.run(() => ATTEMPTS.publish({ call: this.message, event }));
  }

  /** @param result Figures only: subscribers see them. */
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
 * @param parent The call that it is a part of, if its context is not the one that runs.
 * @returns undefined if nobody watches it or the call around it
 */
export function openTrace(call: TracedCall, facts: () => Facts, parent?: ChannelMessage): Trace | undefined {
  const channel = CHANNELS.get(call);
  if (channel === undefined || hooks === undefined) return undefined;
  const around = current?.getStore() ?? parent;
  if (!channel.hasSubscribers && around === undefined) return undefined;
  return new Trace(channel, { ...facts(), parent: around }, () => hooks.AsyncLocalStorage.snapshot());
}

/**
 * Does the work of a call that somebody may watch.
 * @param figures What they may see of the result.
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
