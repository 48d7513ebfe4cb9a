import type { Attributes, Meter } from "@opentelemetry/api";
import { BatchInProgressError, RunHeldError } from "../core/errors/index.js";
import type { AttemptMessage } from "../core/hooks.js";
import type { ChannelMessage, TracedCall } from "../core/trace.js";
import { endAttributes, numberIn, receiptFigures, sharedAttributes } from "./attributes.js";

/** Bucket boundaries from the RPC conventions, in seconds. */
const RPC_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Bucket boundaries for runs, which may take hours, and for leases, which last 15 minutes. */
const RUN_BUCKETS = [1, 5, 15, 60, 180, 300, 600, 900, 1800, 3600, 7200, 14_400];

/** The metrics of docs/guides/operations.md. */
export class Metrics {
  readonly #begun = new WeakMap<ChannelMessage, number>();
  readonly #meters: ReturnType<typeof createMeters>;

  constructor(meter: Meter) {
    this.#meters = createMeters(meter);
  }

  started(call: TracedCall, message: ChannelMessage): void {
    this.#begun.set(message, performance.now());
    const { leaseRemainingMs, operation } = message;
    if (call === "sync.rpc" && operation === "SyncRecords" && leaseRemainingMs !== undefined)
      this.#meters.leaseMargin.record(leaseRemainingMs / 1000, installationOf(message));
  }

  attempted({ event }: AttemptMessage): void {
    if (event.type !== "retry") return;
    const { api, operation, code } = event;
    this.#meters.retries.add(1, {
      "saas_management.api": api,
      "saas_management.operation": operation,
      "error.type": code,
    });
  }

  ended(call: TracedCall, message: ChannelMessage): void {
    const begun = this.#begun.get(message);
    if (begun === undefined) return;
    const seconds = (performance.now() - begun) / 1000;
    const attributes = defined({ ...sharedAttributes(call, message), ...endAttributes(call, message) });
    if (call === "sync.rpc")
      this.#meters.rpc.record(seconds, defined(attributes, "rpc.", "server.", "error."));
    else if (call === "graphql.operation") this.#meters.operation.record(seconds, attributes);
    else if (call === "sync.write") this.#write(message, attributes);
    else if (call === "sync.batch") this.#batch(message);
    else if (call === "sync.run") this.#run(message, seconds, attributes);
  }

  /** Skips records that a run's connector writes. They might never be sent, so `#run` counts them on completion. */
  #write(message: ChannelMessage, attributes: Attributes): void {
    if (message.batchId !== undefined)
      this.#meters.records.add(numberIn(message.result, "accepted"), attributes);
  }

  #batch(message: ChannelMessage): void {
    const { error, waitedForLockMs } = message;
    const refusedMs = error instanceof BatchInProgressError ? (error.waitedMs ?? 0) : undefined;
    const waitedMs = waitedForLockMs ?? refusedMs;
    if (waitedMs !== undefined) this.#meters.lockWait.record(waitedMs / 1000, installationOf(message));
  }

  #run(message: ChannelMessage, seconds: number, attributes: Attributes): void {
    const { error, result } = message;
    const installation = installationOf(message);
    this.#meters.run.record(seconds, attributes);
    if (error instanceof RunHeldError)
      for (const { collection, rule } of error.report.reasons)
        this.#meters.held.add(1, {
          ...installation,
          "saas_management.collection": collection,
          "saas_management.rule": rule,
        });
    if ("error" in message) return;
    this.#meters.lastSuccess.record(Date.now() / 1000, installation);
    for (const { collection, records, removed } of receiptFigures(result)) {
      const of = { ...installation, "saas_management.collection": collection };
      this.#meters.records.add(records, of);
      if (removed > 0) this.#meters.removals.add(removed, of);
    }
  }
}

function createMeters(meter: Meter) {
  const name = (rest: string) => `saas_management.${rest}`;
  const seconds = (description: string, explicitBucketBoundaries: number[]) => ({
    description,
    unit: "s",
    advice: { explicitBucketBoundaries },
  });
  return {
    rpc: meter.createHistogram("rpc.client.call.duration", seconds("RPCs, with retries.", RPC_BUCKETS)),
    operation: meter.createHistogram(
      name("graphql.operation.duration"),
      seconds("GraphQL operations, with retries.", RPC_BUCKETS),
    ),
    run: meter.createHistogram(name("sync.run.duration"), seconds("Runs.", RUN_BUCKETS)),
    lastSuccess: meter.createGauge(name("sync.run.last_success"), {
      description: "When a run last succeeded, in seconds since the epoch.",
      unit: "s",
    }),
    records: meter.createCounter(name("sync.records"), {
      description: "Records that the service accepted in successful writes to a batch and in completed runs.",
      unit: "{record}",
    }),
    removals: meter.createCounter(name("sync.removals"), {
      description: "Records removed by completed runs, according to the ledger.",
      unit: "{record}",
    }),
    held: meter.createCounter(name("sync.held"), { description: "Why runs were held.", unit: "{reason}" }),
    lockWait: meter.createHistogram(name("sync.lock.wait"), seconds("Waiting for the lock.", RUN_BUCKETS)),
    leaseMargin: meter.createHistogram(
      name("sync.lease.margin"),
      seconds("Time left on the lease when records were sent.", RUN_BUCKETS),
    ),
    retries: meter.createCounter(name("client.retries"), {
      description: "Attempts that were retried.",
      unit: "{retry}",
    }),
  };
}

function installationOf({ installationId }: ChannelMessage): Attributes {
  return { "saas_management.installation.id": installationId };
}

/** Keeps the attributes that are defined and whose names start with one of `prefixes`, if any are given. */
function defined(attributes: Attributes, ...prefixes: readonly string[]): Attributes {
  const isWanted = (name: string) =>
    prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
  const entries = Object.entries(attributes).filter(([name, value]) => value !== undefined && isWanted(name));
  return Object.fromEntries(entries);
}
