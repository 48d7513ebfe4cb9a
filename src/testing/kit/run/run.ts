import { RunHeldError } from "../../../core/errors/index.js";
import type { ReferenceServer } from "../../../reference-server/server.js";
import type { Inspection } from "../../../reference-server/sync/inspect.js";
import type { TestClock } from "../../../reference-server/test-clock.js";
import type { Connector } from "../../../runs/connector.js";
import type { SyncEngine } from "../../../runs/engine.js";
import { createSyncClient } from "../../../runs/engine.js";
import type { GuardOptions } from "../../../runs/guard/rules.js";
import { memoryLedger } from "../../../runs/ledger/ledger.js";
import type { Collection, SnapshotCollection } from "../../../sync/collections.js";
import type { RecordedRun } from "../cassette/cassette.js";
import type { Injected, InjectedRecords } from "../faults/fault.js";
import { VirtualTime } from "../time/context.js";
import type { PlayedRequest } from "../vendor/playback.js";
import type { Vendor } from "../vendor/server.js";
import { type AnyBatch, kitConnector } from "./batch.js";
import { Activity, driveRun } from "./driver.js";
import { Output, Unhandled } from "./output.js";
import { WatchedRecords } from "./records.js";

/** What all runs share. */
export interface Shared {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  readonly vendor: Vendor;
}

/** A workspace and a ledger for consecutive runs of one connector. */
export class RunWorkspace {
  readonly ledger = memoryLedger();
  readonly installationId: string;
  readonly #apiKey: string;

  constructor(
    readonly shared: Shared,
    readonly connector: Connector<SnapshotCollection>,
  ) {
    const { apiKey, installationId } = shared.server.createWorkspace({ name: "Test of a connector" });
    this.installationId = installationId;
    this.#apiKey = apiKey;
  }

  client(options: Partial<Parameters<typeof createSyncClient>[0]> = {}): SyncEngine {
    const { server, clock } = this.shared;
    return createSyncClient({ endpoint: server.syncUrl, apiKey: this.#apiKey, clock, ...options });
  }

  /** Completes a first run with these snapshots. */
  async complete(records: Partial<Record<SnapshotCollection, readonly object[]>>): Promise<void> {
    const { snapshots } = this.connector;
    const run = async (batch: AnyBatch) => {
      for (const name of snapshots) await batch.write(name, records[name] ?? []);
    };
    const client = this.client();
    const { installationId, ledger } = this;
    await client.run({ snapshots, run }, { installationId, ledger, firstRun: true });
    await client.close();
  }
}

/** What a run encounters, with at most one fault. */
export interface RunSetup {
  /** The vendor's answers. Without a recording, requests go to their own addresses. */
  readonly recording?: RecordedRun | undefined;
  readonly injected?: Injected | undefined;
  readonly records?: InjectedRecords | undefined;
  readonly guard?: GuardOptions | false | undefined;
}

/** The outcome of a run. */
export interface RunResult {
  readonly outcome: "completed" | "held" | "refused";
  /** The error that held or refused the run. */
  readonly error: unknown;
  readonly effect: Inspection;
  /** Whether the run started to send; before that, a run hasn't touched the service. */
  readonly hasSent: boolean;
  /** All output and logs: `console`, stdout, stderr and the SDK's logger. */
  readonly output: readonly string[];
  /** The credentials that the connector sent to the vendor or was granted. */
  readonly credentials: readonly string[];
  readonly requests: readonly PlayedRequest[];
  /** How often the fault was injected. */
  readonly fired: number;
  /** Unhandled rejections and uncaught exceptions. */
  readonly unhandled: readonly unknown[];
  /** The records that were passed on to the run's batch. */
  readonly records: ReadonlyMap<Collection, readonly object[]>;
}

/** Number of turns of the event loop within which unhandled rejections surface. */
const LATE_TURNS = 3;

/** Runs a workspace's connector once. An error of the connector is part of the result, and isn't thrown. */
export async function runIn(
  workspace: RunWorkspace,
  setup: RunSetup & { readonly firstRun: boolean },
): Promise<RunResult> {
  const { shared, connector, installationId, ledger } = workspace;
  const { clock, server, vendor } = shared;
  const { recording, injected, records: fault, guard, firstRun } = setup;
  const activity = new Activity();
  const stop = new AbortController();
  const unhandled = new Unhandled((error) => stop.abort(error));
  const output = new Output();
  const startedAt = recording === undefined ? clock.now() : Date.parse(recording.startedAt);
  const time = new VirtualTime(clock, startedAt, (error) => unhandled.caught(error));
  const run = recording && vendor.play({ recording, injected, clock });
  time.route = run?.route;
  let changedTimes = 0;
  const watched = new WatchedRecords(time, activity, fault, () => {
    changedTimes += 1;
  });
  const before = server.inspect(installationId);
  const client = workspace.client({ logger: output.logger });
  let isCompleted = false;
  let error: unknown;
  try {
    const played = kitConnector(connector, watched, (watermark) => run?.watermarks.add(watermark));
    const { signal } = stop;
    const work = client.run(played, { installationId, ledger, guard, firstRun, signal });
    const giveUp = (why: string) => stop.abort(new Error(`The run did not end within ${why}.`));
    await driveRun({ time, activity, vendor: run, giveUp }, work);
    isCompleted = true;
  } catch (thrown) {
    error = thrown;
  } finally {
    time.end();
    run?.end();
    for (let turn = 0; turn < LATE_TURNS; turn++) await new Promise(setImmediate);
    output.end();
    unhandled.end();
    await client.close();
  }
  const effect = server.inspect(installationId);
  return {
    outcome: isCompleted ? "completed" : error instanceof RunHeldError ? "held" : "refused",
    error,
    effect,
    hasSent: effect.batches.length > before.batches.length,
    output: output.lines,
    credentials: run?.credentials ?? [],
    requests: run?.requests ?? [],
    fired: fault === undefined ? (run?.fired ?? 0) : changedTimes,
    unhandled: unhandled.errors,
    records: watched.records,
  };
}
