/// <reference lib="esnext.disposable" preserve="true" />

import { startReferenceServer } from "../../../reference-server/server.js";
import { TestClock } from "../../../reference-server/test-clock.js";
import type { Connector } from "../../../runs/connector.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { RecordedRun } from "../cassette/cassette.js";
import { installVirtualTime, loadVendor } from "../time/install.js";
import { type RunResult, type RunSetup, RunWorkspace, runIn } from "./run.js";

const DAY_MS = 24 * 3_600_000;

/** A run and the state before it. */
export interface TestedRun extends RunSetup {
  /** What an earlier run completed: these snapshots, or the connector's records from this recording. */
  readonly before?:
    | { readonly records: Partial<Record<SnapshotCollection, readonly object[]>> }
    | RecordedRun
    | undefined;
  /** Days between the earlier run and this one. @default 1 */
  readonly daysLater?: number | undefined;
}

/** The outcome of a run. */
export interface TestedResult extends RunResult {
  /** Runs the same connector a day later, with the same recording but without the fault. */
  nextRun(): Promise<TestedResult>;
}

/** The servers and the clock that all runs share, one run at a time. */
export type Servers = Awaited<ReturnType<typeof openServers>>;

export async function openServers() {
  const clock = new TestClock({ startAt: new Date() });
  const { startVendor } = await loadVendor();
  const [server, vendor] = await Promise.all([startReferenceServer({ clock }), startVendor()]);
  const restoreTime = installVirtualTime();
  const shared = { server, clock, vendor };
  // This first run only loads modules. Loading them during a tested run would advance that run's clock.
  await new RunWorkspace(shared, { snapshots: ["accounts"], run: async () => {} }).complete({});
  return {
    /** Runs a connector in its own workspace. An error of the connector is part of the result, and isn't thrown. */
    run: (connector: Connector<SnapshotCollection>, run: TestedRun = {}): Promise<TestedResult> =>
      runAfter(new RunWorkspace(shared, connector), run),
    async [Symbol.asyncDispose](): Promise<void> {
      restoreTime();
      await Promise.all([server.close(), vendor.close()]);
    },
  };
}

async function runAfter(workspace: RunWorkspace, run: TestedRun): Promise<TestedResult> {
  const { before, daysLater = 1, ...setup } = run;
  if (before !== undefined && "exchanges" in before) {
    const earlier = await runIn(workspace, { recording: before, firstRun: true });
    if (earlier.outcome !== "completed") return withNext(workspace, run, earlier);
  } else if (before !== undefined) {
    await workspace.complete(before.records);
  }
  workspace.shared.clock.advance(daysLater * DAY_MS);
  return withNext(workspace, run, await runIn(workspace, { ...setup, firstRun: before === undefined }));
}

function withNext(workspace: RunWorkspace, run: TestedRun, result: RunResult): TestedResult {
  const nextRun = async () => {
    const { recording, guard, before } = run;
    const { clock, server } = workspace.shared;
    clock.advance(DAY_MS);
    const { batches } = server.inspect(workspace.installationId);
    const firstRun = before === undefined && !batches.some(({ state }) => state === "completed");
    return withNext(workspace, run, await runIn(workspace, { recording, guard, firstRun }));
  };
  return { ...result, nextRun };
}
