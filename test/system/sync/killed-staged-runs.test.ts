import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { FileStore } from "../../../src/sync/ledger/file-store.js";
import { fileStaging } from "../../../src/sync/staging/staging.js";
import { connectorOf } from "../../support/connector.js";
import { testService } from "../../support/test-service.js";
import { startScript } from "./run-process.js";
import { sourceOf, writeRound } from "./staged-source.js";

const service = testService();
const LEASE_MS = 15 * 60_000;
/** A process is killed at each so many-th point. */
const STEP = Number(process.env["KILL_EACH"] ?? 4);

/** Runs a round in a process that is killed at a point. Returns its output, and whether it was killed. */
async function roundTo(way: string, round: number, point: number) {
  const { server, directory } = service;
  const { syncUrl, apiKey, installationId } = server;
  const child = startScript("staged-round-script.ts", [
    syncUrl,
    apiKey,
    installationId,
    directory,
    way,
    `${round}`,
    `${point}`,
  ]);
  const [output, errors, [, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  expect(errors).toBe("");
  return { output, killed: signal === "SIGKILL" };
}

/** Whether a commit has begun that has no receipt. */
async function isCommitting(): Promise<boolean> {
  const store = new FileStore(join(service.directory, "staging"));
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  const open = keys.filter((key) => key.endsWith("/fate") && !keys.includes(key.replace(/fate$/, "receipt")));
  for (const key of open) {
    const fate = await store.get(key);
    if (fate !== undefined && (await text(fate)).includes("commit")) return true;
  }
  return false;
}

/** Does a round to its end in this process. Returns whether the vendor was asked. */
async function finish(way: string, round: number): Promise<boolean> {
  const { installationId } = service;
  const staging = fileStaging(join(service.directory, "staging"));
  const ledger = fileLedger(join(service.directory, "ledger"));
  let isAsked = false;
  const asked = () => {
    isAsked = true;
  };
  const firstRun = !service.states().includes("completed");
  if (way === "run") {
    const connector = connectorOf(["accounts", "groups"], writeRound(round, asked));
    // A first run may have been committed to its end.
    await service.sync.run(connector, { installationId, ledger, staging, firstRun });
    return isAsked;
  }
  const { accounts, groups, events } = sourceOf(round);
  const staged = await service.sync.stage(staging, {
    runKey: `round ${round}`,
    version: "1",
    partitions: { accounts: ["low", "high"], groups: ["all"], usage: ["all"] },
    installationId,
    ledger,
  });
  for (const { collection, partition, state } of await staged.status()) {
    if (state === "sealed") continue;
    asked();
    if (partition === "low") await staged.extract("accounts", "low", accounts.slice(0, 10));
    else if (partition === "high") await staged.extract("accounts", "high", accounts.slice(10));
    else if (collection === "groups") await staged.extract("groups", "all", groups);
    else await staged.extract("usage", "all", events);
  }
  await service.sync.commit(staged, { firstRun });
  return isAsked;
}

test.runIf(process.platform === "linux").each(["run", "commit"])(
  "after each kill of a process that stages and commits (%s), the service has what the source has",
  { timeout: 600_000 },
  async (way) => {
    let kills = 0;
    for (let round = 0, point = 1; ; round += 1, point += STEP) {
      const { killed } = await roundTo(way, round, point);
      const wasCommitting = await isCommitting();
      const isAsked = await finish(way, round).catch((error: unknown) => {
        // Killed between the answer to StartSyncBatch and the journal: nobody knows the batch.
        expect(error).toMatchObject({ code: "BATCH_IN_PROGRESS" });
        service.clock.advance(LEASE_MS);
        return finish(way, round);
      });
      // Once the commit has begun, the vendor is not asked again.
      if (wasCommitting) expect({ point, isAsked }).toEqual({ point, isAsked: false });
      const { snapshots, lock } = service.inspect();
      expect(service.present()).toEqual(sourceOf(round).ids);
      expect(snapshots.accounts.find(({ id }) => id === sourceOf(round).ids[0])?.record.name).toBe(
        `round ${round}`,
      );
      const rounds = Array.from({ length: round + 1 }, (_, i) => i);
      expect(snapshots.usage.map(({ id }) => id)).toEqual(rounds.flatMap((i) => [`e${i}-1`, `e${i}-2`]));
      expect(lock).toBeNull();
      if (!killed) break;
      kills += 1;
    }
    // At every fourth point; with KILL_EACH=1, at all.
    expect(kills).toBeGreaterThan(15);
  },
);
