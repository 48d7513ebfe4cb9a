import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type Store, storeLedger } from "@saas-management/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { storeStaging } from "../../../src/sync/staging/staging.js";
import { connectorOf } from "../../support/connector.js";
import { postgresServer, skipped, whySkipped } from "../../support/postgres.js";
import { testService } from "../../support/test-service.js";
import { startScript } from "./run-process.js";
import { type StagedPlace, sourceOf, storesOf, writeRound } from "./staged-source.js";

type Stores = Pick<ReturnType<typeof storesOf>, "ledger" | "staging">;

const service = testService();
const LEASE_MS = 15 * 60_000;
/** A process is killed at each so many-th point. */
const STEP = Number(process.env["KILL_EACH"] ?? 16);

/** Runs a round in a process that is killed at a point. Returns its output, and whether it was killed. */
async function roundTo(place: StagedPlace, way: string, round: number, point: number) {
  const { syncUrl, apiKey, installationId } = service.server;
  const child = startScript("staged-round-script.ts", [
    syncUrl,
    apiKey,
    installationId,
    JSON.stringify(place),
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
async function isCommitting(store: Store): Promise<boolean> {
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
async function finish(stores: Stores, way: string, round: number): Promise<boolean> {
  const { installationId } = service;
  const staging = storeStaging(stores.staging);
  const ledger = storeLedger(stores.ledger);
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

/** Kills a process at one point after the other, and finishes what it began. Returns how many were killed. */
async function killEach(place: StagedPlace, way: string, between: (round: number) => Promise<void>) {
  const stores = storesOf(place);
  onTestFinished(() => stores.close());
  for (let round = 0, point = 1; ; round += 1, point += STEP) {
    const { killed } = await roundTo(place, way, round, point);
    if (!killed) return round;
    await between(round);
    const wasCommitting = await isCommitting(stores.staging);
    const isAsked = await finish(stores, way, round).catch((error: unknown) => {
      // Killed between the answer to StartSyncBatch and the journal: nobody knows the batch.
      expect(error).toMatchObject({ code: "BATCH_IN_PROGRESS" });
      service.clock.advance(LEASE_MS);
      return finish(stores, way, round);
    });
    // Once the commit has begun, the vendor is not asked again.
    if (wasCommitting) expect({ point, isAsked }).toEqual({ point, isAsked: false });
    const { ids, accounts } = sourceOf(round);
    const { snapshots, lock } = service.inspect();
    expect(service.present()).toEqual(ids);
    const records = snapshots.accounts.filter(({ removed }) => !removed).map(({ record }) => record);
    expect(new Set(records.map(({ name }) => name))).toEqual(new Set([accounts[0]?.name]));
    const rounds = Array.from({ length: round + 1 }, (_, i) => i);
    expect(snapshots.usage.map(({ id }) => id)).toEqual(rounds.flatMap((i) => [`e${i}-1`, `e${i}-2`]));
    expect(lock).toBeNull();
  }
}

const WAYS = ["run", "commit"];
const options = { timeout: 900_000 };

describe.runIf(process.platform === "linux")("after each kill, the service has what the source has", () => {
  test.each(WAYS)("with folders (%s)", options, async (way) => {
    const place = { directory: service.directory, postgres: undefined };
    expect(await killEach(place, way, async () => {})).toBeGreaterThan(100 / STEP);
  });

  describe.skipIf(skipped)(`with PostgreSQL, which is restarted meanwhile${whySkipped}`, () => {
    const server = postgresServer();
    test.each(WAYS)("%s", options, async (way) => {
      const { connection } = server;
      const place = { directory: "", postgres: { connection, schema: server.schema() } };
      const restart = async (round: number) => {
        if (round % 8 === 5) await server.restart("immediate");
      };
      expect(await killEach(place, way, restart)).toBeGreaterThan(100 / STEP);
    });
  });
});
