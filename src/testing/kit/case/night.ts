import { drive } from "../../../core/drive.js";
import { RunHeldError } from "../../../core/errors/index.js";
import type { ClientEvent } from "../../../core/hooks.js";
import type { Collection } from "../../../sync/collections.js";
import type { SyncProgress } from "../../../sync/progress.js";
import type { RunReceipt } from "../../../sync/run/receipt.js";
import type { ArmedFault } from "../faults/service/service-faults.js";
import { VirtualTime } from "../time/context.js";
import { Activity } from "./activity.js";
import { kitConnector } from "./batch.js";
import { driveRun } from "./driver.js";
import { Output } from "./output.js";
import { Passage } from "./passage.js";
import type { Scene } from "./scene.js";
import type { CaseSetup, NightResult } from "./setup.js";
import { Unhandled } from "./unhandled.js";

/** Turns of the event loop in which rejections that nobody handles become known. */
const LATE_TURNS = 3;
const SEEN: Partial<Record<SyncProgress["type"], string>> = {
  retry: "retried",
  restarted: "restarted",
  "waiting-for-lock": "waited for the lock",
};
const CLOSING = { turns: 10, ms: 25 };

/** One run of a scene's connector. */
export async function playNight(
  scene: Scene,
  setup: Omit<CaseSetup, "yesterday" | "child"> & { readonly firstRun: boolean },
): Promise<NightResult> {
  const { clock, server, vendor } = scene.parts;
  const { installationId, apiKey } = scene.workspace;
  const { recording, struck, records: fault, service, guard, firstRun } = setup;
  const activity = new Activity();
  const stop = new AbortController();
  const unhandled = new Unhandled((error) => stop.abort(error));
  const output = new Output();
  const startedAt = recording === undefined ? clock.now() : Date.parse(recording.startedAt);
  const time = new VirtualTime(clock, startedAt, (error) => unhandled.caught(error));
  const run = recording && vendor.play({ exchanges: recording.exchanges, struck, clock });
  time.route = run?.route;
  let recordsStruck = 0;
  let records: ReadonlyMap<Collection, readonly object[]> = new Map();
  const openPassage = () => {
    const passage = new Passage(time, activity, fault, () => {
      recordsStruck += 1;
    });
    records = passage.records;
    return passage;
  };
  const seen = new Set<string>();
  const onProgress = ({ type }: SyncProgress) => {
    if (SEEN[type] !== undefined) seen.add(SEEN[type]);
  };
  let armed: ArmedFault | undefined;
  const client = scene.client({
    logger: output.logger,
    onEvent: watchRpcs(activity, (rpc) => armed?.onRequest?.(rpc)),
  });
  const other = scene.client();
  let receipt: RunReceipt | undefined;
  let error: unknown;
  try {
    const during = (work: () => Promise<void>) => activity.during("works", work);
    armed = await service?.arm({ server, clock, installationId, apiKey, other, during });
    const store = armed?.store?.(scene.store) ?? scene.store;
    const work = client.run(kitConnector(scene.connector, openPassage), {
      ...armed?.options,
      installationId,
      ledger: scene.ledger(store),
      guard,
      firstRun,
      onProgress,
      signal: stop.signal,
    });
    receipt = await driveRun(
      {
        time,
        activity,
        vendor: run,
        heldRpcs: () => (armed?.holds === true ? armed.fired : 0),
        giveUp: (why) => stop.abort(new Error(`The run did not end within ${why}.`)),
      },
      work,
    );
  } catch (thrown) {
    error = thrown;
  } finally {
    time.end();
    run?.end();
    for (let turn = 0; turn < LATE_TURNS; turn++) await new Promise(setImmediate);
    output.end();
    unhandled.end();
    await armed?.disarm?.();
    server.faults.clear();
    // A start without an answer is waited for.
    const closed = Promise.all([client.close(), other.close()]);
    await drive(clock, closed, { activity: () => clock.changes, patience: () => CLOSING });
  }
  return {
    outcome: receipt !== undefined ? "completed" : error instanceof RunHeldError ? "held" : "refused",
    error,
    receipt,
    effect: server.inspect(installationId),
    output: output.lines,
    credentials: run?.credentials ?? [],
    requests: run?.requests ?? [],
    fired: armed?.fired ?? (fault === undefined ? (run?.fired ?? 0) : recordsStruck),
    unhandled: unhandled.errors,
    seen,
    records,
  };
}

function watchRpcs(activity: Activity, onRequest: (operation: string) => void) {
  let end = () => {};
  return ({ type, operation }: ClientEvent) => {
    if (type === "request") {
      activity.rpc += 1;
      end = activity.begin("rpcs");
      onRequest(operation);
    } else if (type === "response") end();
  };
}
