/// <reference lib="esnext.disposable" preserve="true" />
import { TestClock } from "../../../core/clock.js";
import { startReferenceServer } from "../../../reference-server/server.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { Connector } from "../../../sync/run/connector.js";
import { installVirtualTime, loadVendor } from "../time/install.js";
import { playNight } from "./night.js";
import { Scene } from "./scene.js";
import type { CaseResult, CaseSetup, NightResult } from "./setup.js";

const DAY_MS = 24 * 3_600_000;

/** The servers and the clock that all cases share, one case at a time. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage() {
  const clock = new TestClock({ startAt: new Date() });
  const { startVendor } = await loadVendor();
  const [server, vendor] = await Promise.all([startReferenceServer({ clock }), startVendor()]);
  const restoreTime = installVirtualTime();
  const parts = { server, clock, vendor };
  // Modules are loaded with the first run, and time must not pass meanwhile.
  await new Scene(parts, { snapshots: [], run: (batch) => batch.write("usage", []) }).complete();
  return {
    /** Runs a connector in a workspace of its own. Never rejects because of the connector. */
    run: (connector: Connector<SnapshotCollection>, setup: CaseSetup = {}): Promise<CaseResult> =>
      play(new Scene(parts, connector), setup),
    async [Symbol.asyncDispose](): Promise<void> {
      restoreTime();
      await Promise.all([server.close(), vendor.close()]);
    },
  };
}

async function play(scene: Scene, setup: CaseSetup): Promise<CaseResult> {
  const { yesterday, daysLater = 1 } = setup;
  const before = yesterday && (await completeYesterday(scene, yesterday));
  if (before !== undefined && before.outcome !== "completed") return withNext(scene, setup, before);
  scene.parts.clock.advance(daysLater * DAY_MS);
  return withNext(scene, setup, await playNight(scene, { ...setup, firstRun: yesterday === undefined }));
}

async function completeYesterday(
  scene: Scene,
  yesterday: NonNullable<CaseSetup["yesterday"]>,
): Promise<NightResult | undefined> {
  if ("exchanges" in yesterday) return playNight(scene, { recording: yesterday, firstRun: true });
  await scene.completeRecords(yesterday.records);
  return undefined;
}

function withNext(scene: Scene, setup: CaseSetup, result: NightResult): CaseResult {
  const nextNight = async () => {
    const { recording, guard, yesterday } = setup;
    const { clock, server } = scene.parts;
    clock.advance(DAY_MS);
    const { batches } = server.inspect(scene.workspace.installationId);
    const firstRun = yesterday === undefined && !batches.some(({ state }) => state === "completed");
    return withNext(scene, setup, await playNight(scene, { recording, guard, firstRun }));
  };
  return { ...result, nextNight };
}
