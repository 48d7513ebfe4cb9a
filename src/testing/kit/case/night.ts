import { RunHeldError } from "../../../core/errors/index.js";
import type { RunReceipt } from "../../../sync/run/receipt.js";
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

/** One run of a scene's connector. */
export async function playNight(
  scene: Scene,
  setup: Pick<CaseSetup, "recording" | "struck" | "records" | "guard"> & { readonly firstRun: boolean },
): Promise<NightResult> {
  const { clock, server, vendor } = scene.parts;
  const { installationId } = scene.workspace;
  const { recording, struck, records: fault, guard, firstRun } = setup;
  const activity = new Activity();
  const stop = new AbortController();
  const unhandled = new Unhandled((error) => stop.abort(error));
  const output = new Output();
  const startedAt = recording === undefined ? clock.now() : Date.parse(recording.startedAt);
  const time = new VirtualTime(clock, startedAt, (error) => unhandled.caught(error));
  const run = recording && vendor.play({ exchanges: recording.exchanges, struck, clock });
  time.route = run?.route;
  let recordsStruck = 0;
  const passage = new Passage(time, activity, fault, () => {
    recordsStruck += 1;
  });
  const before = server.inspect(installationId);
  const client = scene.client({ logger: output.logger });
  let receipt: RunReceipt | undefined;
  let error: unknown;
  try {
    const work = client.run(kitConnector(scene.connector, passage), {
      installationId,
      ledger: scene.ledger,
      guard,
      firstRun,
      signal: stop.signal,
    });
    const giveUp = (why: string) => stop.abort(new Error(`The run did not end within ${why}.`));
    receipt = await driveRun({ time, activity, vendor: run, giveUp }, work);
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
    outcome: receipt !== undefined ? "completed" : error instanceof RunHeldError ? "held" : "refused",
    error,
    receipt,
    effect,
    hasSent: effect.batches.length > before.batches.length,
    output: output.lines,
    credentials: run?.credentials ?? [],
    requests: run?.requests ?? [],
    fired: fault === undefined ? (run?.fired ?? 0) : recordsStruck,
    unhandled: unhandled.errors,
    records: passage.records,
  };
}
