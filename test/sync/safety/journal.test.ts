import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "node:process";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { fileLedger, SyncClient, type SyncClientOptions, TestClock } from "@saas-management/sdk/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entryName, writeEntry } from "../../../src/sync/ledger/journal-entry.js";
import { quietLogger } from "../../support/quiet-logger.js";
import { until } from "../../support/sync-harness.js";
import { WritingProcess } from "./journal-process.js";

let directory: string;
let server: ReferenceServer;
let clients: SyncClient[];
let children: WritingProcess[];
let warnings: string[];
let told: unknown[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "journal-test-"));
  server = await startReferenceServer();
  clients = [];
  children = [];
  warnings = [];
  told = [];
});
afterEach(async () => {
  for (const child of children) {
    child.resume();
    await child.kill();
  }
  for (const client of clients) await client.close();
  await server.close();
  await rm(directory, { recursive: true });
});

const logger = quietLogger({
  warn: (message) => warnings.push(message),
  info: (...line) => void (line[0].includes("process that died") && told.push(line)),
});

function newClient(options: Partial<SyncClientOptions> = {}) {
  const client = new SyncClient({
    endpoint: server.syncUrl,
    apiKey: server.apiKey,
    retry: false,
    logger,
    ...options,
  });
  clients.push(client);
  return client;
}

const runOptions = () =>
  ({
    installationId: server.installationId,
    snapshots: ["accounts"],
    ledger: fileLedger(directory),
  }) as const;

/** A run of this process; `meanwhile` happens when its batch is open. */
function run(client = newClient(), meanwhile: () => Promise<void> = async () => {}, waitForLockMs = 0) {
  return client.run({ ...runOptions(), waitForLockMs }, async (batch) => {
    await meanwhile();
    await batch.write("accounts", [{ generic: { id: "u1" } }]);
  });
}

async function startChild() {
  const child = await WritingProcess.start(server, directory);
  children.push(child);
  return child;
}

const states = () => server.inspect(server.installationId).batches.map(({ state }) => state);
const journal = () => join(directory, "journal");
const names = async () => (await readdir(journal())).sort();

/** The only entry of the journal. */
async function entryPath(): Promise<string> {
  const entries = (await names()).filter((name) => name.endsWith(".json"));
  expect(entries).toHaveLength(1);
  return join(journal(), entries[0] ?? "");
}

/** Makes it look as if nobody had given a sign of life for so long. */
async function age(path: string, ms: number) {
  const then = new Date(Date.now() - ms);
  await utimes(path, then, then);
  await utimes(`${path}.lock`, then, then).catch(() => {});
}

/** The entry of a batch that a run of another machine has open, whose heartbeat can only be waited for. */
async function orphanOfAnotherMachine(): Promise<string> {
  const { installationId } = server;
  const { id: batchId } = await newClient().startBatch({ installationId });
  const batch = { endpoint: new URL(server.syncUrl).origin, installationId, batchId };
  const path = join(journal(), entryName(batch));
  await mkdir(journal());
  const owner = { boot: "another machine", namespace: "pid:[1]", pid: 1, startedAt: "1" };
  await writeEntry(path, { ...batch, owner });
  await mkdir(`${path}.lock`);
  return path;
}

describe("a process that was killed in the middle of a write", { timeout: 60_000 }, () => {
  it.runIf(platform === "linux")(
    "is known to be dead: the next run aborts its batch and starts at once",
    async () => {
      const child = await startChild();
      expect(states()).toEqual(["active"]);
      await child.kill();
      expect(states()).toEqual(["active"]);
      const { restarts, waitedForLockMs } = await run();
      expect({ restarts, waitedForLockMs }).toEqual({ restarts: 0, waitedForLockMs: 0 });
      expect(states()).toEqual(["aborted", "completed"]);
      expect(await names()).toEqual([]);
    },
  );

  it("on another machine is taken for dead when its heartbeat is 60 seconds old, and not before", async () => {
    const path = await orphanOfAnotherMachine();
    await age(path, 50_000);
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    expect(states()).toEqual(["active"]);
    await age(path, 61_000);
    await run();
    expect(states()).toEqual(["aborted", "completed"]);
    const [orphan] = server.inspect(server.installationId).batches;
    expect(told).toEqual([[expect.stringMatching(/was aborted$/), { batchId: orphan?.id }]]);
  });

  it("is looked for again while a run waits for the lock", async () => {
    const path = await orphanOfAnotherMachine();
    const clock = new TestClock({ startAt: 0 });
    let waits = 0;
    const waiting = newClient({ clock }).run(
      {
        ...runOptions(),
        waitForLockMs: 600_000,
        onProgress: ({ type }) => {
          if (type === "waiting-for-lock") waits += 1;
        },
      },
      async (batch) => {
        await batch.write("accounts", [{ generic: { id: "u1" } }]);
      },
    );
    await until(() => waits === 1 && clock.sleeping > 0);
    await age(path, 61_000);
    clock.advance(1000);
    await until(() => states()[0] === "aborted");
    clock.advance(60_000);
    await expect(waiting).resolves.toMatchObject({ waitedForLockMs: expect.any(Number) });
  });
});

describe("an owner that lives", { timeout: 60_000 }, () => {
  it("keeps its batch, and completes it", async () => {
    const child = await startChild();
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    expect(await child.goOn()).toBe("completed");
    await child.ended();
    expect(states()).toEqual(["completed"]);
    expect(await names()).toEqual([]);
  });

  it("in the same process keeps its batch too", async () => {
    await run(newClient(), async () => {
      await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    });
    expect(states()).toEqual(["completed"]);
  });

  it.runIf(platform !== "win32")(
    "and was suspended for too long loses its batch, and when it wakes up it harms nobody",
    async () => {
      const child = await startChild();
      const path = await entryPath();
      child.suspend();
      await age(path, 61_000);
      await run(newClient(), async () => {
        expect(states()).toEqual(["aborted", "active"]);
        const own = await entryPath();
        child.resume();
        expect(await child.goOn()).toMatch(/^failed (BATCH_STATE|SYNC_PROTOCOL)$/);
        await child.ended();
        expect(await entryPath()).toBe(own);
        expect(states()).toEqual(["aborted", "active"]);
      });
      expect(states()).toEqual(["aborted", "completed"]);
      const { accounts } = server.inspect(server.installationId).snapshots;
      expect(accounts.filter(({ id }) => id.startsWith("later"))).toEqual([]);
    },
  );
});

describe("the journal", () => {
  it("holds one entry for each open batch, for its owner's eyes only, and none afterwards", async () => {
    await run(newClient(), async () => {
      const path = await entryPath();
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await stat(journal())).mode & 0o777).toBe(0o700);
      expect(await names()).toHaveLength(2);
      expect(await readFile(path, "utf8")).not.toContain(server.apiKey);
    });
    expect(await names()).toEqual([]);
  });

  it("keeps a batch that could not be aborted, for the next run", async () => {
    server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind: { type: "drop" } });
    const own = new Error("vendor API");
    const failing = run(newClient(), async () => {
      throw own;
    });
    await expect(failing).rejects.toBe(own);
    expect(states()).toEqual(["active"]);
    await run();
    expect(states()).toEqual(["aborted", "completed"]);
    expect(await names()).toEqual([]);
  });

  it("keeps the entry where the orphan cannot be aborted now, and the run goes on to find the lock held", async () => {
    const path = await orphanOfAnotherMachine();
    await age(path, 61_000);
    server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind: { type: "drop" } });
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    expect(await entryPath()).toBe(path);
    expect(warnings).toContainEqual(expect.stringContaining("could not be aborted"));
    await run();
    expect(states()).toEqual(["aborted", "completed"]);
  });

  it("forgets a batch that the server has ended long ago", async () => {
    const path = await orphanOfAnotherMachine();
    await age(path, 61_000);
    server.clock.advance(15 * 60_000);
    await run();
    expect(states()).toEqual(["expired", "completed"]);
    expect(await names()).toEqual([]);
  });

  it.each([
    ["completed", 9, { "batch-state": "completed" }, "completed"],
    ["not known", 5, {}, "unknown"],
  ])("does not call a batch aborted that was %s to the service", async (_, code, trailers, batchState) => {
    const path = await orphanOfAnotherMachine();
    await age(path, 61_000);
    const [orphan] = server.inspect(server.installationId).batches;
    server.clock.advance(15 * 60_000);
    const kind = { type: "grpc-status", code, trailers } as const;
    server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind });
    await run();
    const ended = "saas-management: the batch of a process that died had ended before it was aborted";
    expect(told).toEqual([[ended, { batchId: orphan?.id, batchState }]]);
    expect(await names()).toEqual([]);
  });

  it("deletes an entry that is older than the lease without aborting anything", async () => {
    const path = await orphanOfAnotherMachine();
    await age(path, 17 * 60_000);
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    expect(states()).toEqual(["active"]);
    expect(await names()).toEqual([]);
  });

  it("leaves the batches of another installation alone", async () => {
    const path = await orphanOfAnotherMachine();
    await age(path, 61_000);
    const installationId = server.createInstallation();
    await newClient().run({ ...runOptions(), installationId }, async (batch) => {
      await batch.write("accounts", [{ generic: { id: "u1" } }]);
    });
    expect(states()).toEqual(["active"]);
    expect(await entryPath()).toBe(path);
  });

  it("never aborts what it did not write down", async () => {
    await newClient().startBatch({ installationId: server.installationId });
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    expect(states()).toEqual(["active"]);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    [
      "was changed",
      async (path) =>
        writeFile(path, (await readFile(path, "utf8")).replace("another machine", "other machine")),
    ],
    ["was cut", async (path) => writeFile(path, (await readFile(path, "utf8")).slice(0, 80))],
    ["is empty", (path) => writeFile(path, "")],
    [
      "became a link",
      async (path) => {
        const elsewhere = join(directory, "elsewhere.json");
        await writeFile(elsewhere, await readFile(path));
        await rm(path);
        await symlink(elsewhere, path);
      },
    ],
    [
      "became a directory",
      async (path) => {
        await rm(path);
        await mkdir(path);
      },
    ],
  ])("leaves an entry alone that %s, says so, and goes on", async (_, damage) => {
    const path = await orphanOfAnotherMachine();
    await damage(path);
    await utimes(`${path}.lock`, new Date(Date.now() - 61_000), new Date(Date.now() - 61_000));
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    expect(states()).toEqual(["active"]);
    expect(warnings).toContainEqual(expect.stringContaining("left alone"));
    expect(await names()).toContain(path.slice(journal().length + 1));
  });

  it("that cannot be written keeps no run from its work", async () => {
    await writeFile(journal(), "a file in the directory's place");
    await run();
    expect(states()).toEqual(["completed"]);
    expect(warnings).toContainEqual(expect.stringContaining("could not be written down"));
  });
});
