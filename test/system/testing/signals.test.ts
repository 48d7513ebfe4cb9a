import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ConfigurationError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { openStage } from "../../../src/testing/kit/case/stage.js";
import { SIGNAL_FAULTS } from "../../../src/testing/kit/faults/service/signal-faults.js";
import { pagedUsers } from "../../testing/kit/case/connectors.js";

const SCRIPT = fileURLToPath(new URL("signals-script.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

test("interrupts and kills processes at each call, and none of them harms what the service holds", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [`--import=${TSX}`, SCRIPT]);
  const lines: unknown[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const all = { fired: 1, requests: 3, isCleanInTheEnd: true };
  const killed = { ...all, outcome: "refused", error: "SIGKILL ended the process.", removed: [] };
  const interrupted = { ...all, outcome: "refused", error: "The run was ended by SIGINT.", removed: [] };
  const completed = { ...all, outcome: "completed", removed: ["gone"], batch: "completed" };
  expect(lines).toEqual([
    { ...killed, fault: "sigkill-at-start", batch: "active", requests: 0 },
    { ...killed, fault: "sigkill-at-write-1", batch: "active" },
    { ...killed, fault: "sigkill-at-complete", batch: "active" },
    // The service had completed it.
    { ...killed, fault: "sigkill-at-completed", batch: "completed", removed: ["gone"] },
    { ...interrupted, fault: "sigint-at-start", batch: "aborted", requests: 0 },
    { ...interrupted, fault: "sigint-at-write-1", batch: "aborted" },
    { ...completed, fault: "sigint-at-complete" },
    { ...completed, fault: "sigint-at-completed" },
    { notLoaded: expect.stringMatching(/^module: .*missing[.]mjs.* Cannot find module/) },
  ]);
});

test("says so if a process of its own cannot be started", async () => {
  await using stage = await openStage();
  const [fault] = SIGNAL_FAULTS;
  if (fault === undefined) throw new Error("There are no signals.");
  // Without a loader, Node.js 20 cannot run the source of the kit.
  const run = stage.run(pagedUsers, { child: { module: import.meta.url, fault } });
  await expect(run).rejects.toThrow(ConfigurationError);
  await expect(run).rejects.toThrow(/^module: .* The process ended with exit code 1/);
});
