/** Runs this module's connector under one signal after the other, and prints a line of JSON for each. */
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { openStage } from "../../../src/testing/kit/case/stage.js";
import { SIGNAL_FAULTS } from "../../../src/testing/kit/faults/service/signal-faults.js";
import { pagedUsers } from "../../testing/kit/case/connectors.js";
import { byToken } from "../../testing/kit/recordings/by-token.js";

export default pagedUsers;

if (argv[1] === fileURLToPath(import.meta.url)) {
  await using stage = await openStage();
  const setup = {
    recording: { exchanges: byToken(), startedAt: "2026-03-01T06:00:00Z" },
    yesterday: { records: { accounts: [{ id: "u-1a" }, { id: "u-2a" }, { id: "gone" }] } },
  };
  const clean = JSON.stringify((await stage.run(pagedUsers, setup)).effect.snapshots);
  for (const fault of SIGNAL_FAULTS.filter(({ writes }) => writes === 1)) {
    const result = await stage.run(pagedUsers, { ...setup, child: { module: import.meta.url, fault } });
    const isRefused = result.outcome === "refused";
    const last = isRefused ? await result.nextNight() : result;
    const line = {
      fault: fault.name,
      outcome: result.outcome,
      error: result.error instanceof Error ? result.error.message : undefined,
      fired: result.fired,
      requests: result.requests.length,
      batch: result.effect.batches.at(-1)?.state,
      removed: result.effect.snapshots.accounts.filter(({ removed }) => removed).map(({ id }) => id),
      isCleanInTheEnd: JSON.stringify(last.effect.snapshots) === clean,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  const [fault] = SIGNAL_FAULTS;
  const module = new URL("missing.mjs", import.meta.url).href;
  const child = fault && { module, fault };
  const notLoaded = await stage.run(pagedUsers, { ...setup, child }).then(
    () => "It was loaded.",
    (error: Error) => error.message,
  );
  process.stdout.write(`${JSON.stringify({ notLoaded })}\n`);
}
