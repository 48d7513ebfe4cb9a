/** `newOnly`: the ledger keeps the ids of events, and the next run skips events with these ids. Nothing is compared by time. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileLedger, type RunBatch, type RunOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { connectorOf } from "../support/connector.js";
import { testService } from "../support/test-service.js";

const service = testService({ sync: { retry: false } });

const DAY = "2026-01-01T00:00:00Z";
const event = (id: string, day = DAY) => ({ id, sourceActorId: "u0", lastActivity: new Date(day) });

/** A run that writes events, in one write or in two; returns which were sent, and how many were skipped. */
async function runOf(events: readonly ReturnType<typeof event>[], options: Partial<RunOptions> = {}) {
  return runOfFiles([events], options);
}

async function runOfFiles(
  files: readonly (readonly ReturnType<typeof event>[])[],
  options: Partial<RunOptions> = {},
) {
  const send = async (batch: RunBatch<never>) => {
    for (const events of files) await batch.write("usage", events, { newOnly: true });
  };
  const receipt = await service.run([], send, options);
  const { stats } = receipt.collections.usage ?? {};
  return { sent: stats?.sent, skipped: stats?.skipped, text: `${receipt}` };
}

test.each([
  ["a file that only grows", "ab 2 0", "abc 1 2", "abcd 1 3", "abcd 0 4"],
  ["a rolling export", "abc 3 0", "bcd 1 2", "cde 1 2"],
  ["a file of new rows only", "ab 2 0", "cd 2 0", "ef 2 0"],
  ["late rows", "bd 2 0", "abcd 2 2"],
  ["nothing new", "a 1 0", "a 0 1", "a 0 1"],
  ["two files of which one lags", "ab|v 3 0", "abc|v 1 3", "abcd|vwxy 4 4"],
  ["two files that overlap", "abc|bcd 4 2", "bcd|cde 1 5"],
  ["a row that occurs twice", "aba 2 1", "abac 1 3"],
])("sends each event once: %s", async (_, ...runs) => {
  // A letter is an event; `|` separates two files. The numbers of sent and skipped events follow.
  for (const [files = "", ...counts] of runs.map((run) => run.split(" "))) {
    const written = files.split("|").map((letters) => [...letters].map((id) => event(id)));
    const { sent, skipped } = await runOfFiles(written);
    expect([sent, skipped]).toEqual(counts.map(Number));
  }
});

test("an event far ahead of the others doesn't stop later ones", async () => {
  const ahead = event("a", new Date(service.clock.now() + 3_600_000).toISOString());
  await runOf([ahead]);
  const { text, ...counts } = await runOf([ahead, event("b"), event("c")]);
  expect(counts).toEqual({ sent: 2, skipped: 1 });
  expect(text).toContain("usage: 1 skipped, sent before.");
});

test("recognizes ids with line feeds, and ids of hashed ledgers", async () => {
  const odd = ["a\nb", "a\\nb", "ä", "x".repeat(500)].map((id) => event(id));
  for (const hashIds of [false, true]) {
    const ledger = fileLedger(`${service.directory}/${hashIds}`, { hashIds });
    expect(await runOf(odd, { ledger })).toMatchObject({ sent: 4, skipped: 0 });
    expect(await runOf([...odd, event("new")], { ledger })).toMatchObject({ sent: 1, skipped: 4 });
  }
});

test("the next run sends what a failed run has written", async () => {
  await runOf([event("a")]);
  const failing = service.run([], async (batch) => {
    await batch.write("usage", [event("a"), event("b")], { newOnly: true });
    throw new Error("The source is gone.");
  });
  await expect(failing).rejects.toThrow("The source is gone.");
  expect(await runOf([event("a"), event("b")])).toMatchObject({ sent: 1, skipped: 1 });
});

test("the next run sends again what a failed batch sent, and a restart sends what was not accepted", async () => {
  await runOf([event("a")]);
  service.server.faults.add({ on: "SyncRecords", fault: "drop" });
  await expect(runOf([event("a"), event("b")], { retryForMs: 0 })).rejects.toMatchObject({
    code: "TRANSPORT_FAILED",
  });
  expect(service.states()).toEqual(["completed", "aborted"]);
  service.server.faults.add({ on: "SyncRecords", fault: "drop" });
  expect(await runOf([event("a"), event("b")])).toMatchObject({ sent: 1, skipped: 1 });
  expect(await runOf([event("a"), event("b")])).toMatchObject({ sent: 0, skipped: 2 });
});

test("recognizes events without ids by all of their fields", async () => {
  const used = (sourceActorId: string) => ({ sourceActorId, lastActivity: new Date(DAY) });
  const send = async (...actors: string[]) => {
    const { collections } = await service.run([], (batch) =>
      batch.write("externallyDiscoveredUsage", actors.map(used), { newOnly: true }),
    );
    return collections.externallyDiscoveredUsage?.stats;
  };
  expect(await send("u1", "u2")).toMatchObject({ sent: 2, skipped: 0 });
  expect(await send("u2", "u3", "u3")).toMatchObject({ sent: 1, skipped: 2 });
});

test("a run fails if its ledger is damaged, and so sends no event twice", async () => {
  await runOf([event("a")]);
  const [path = ""] = (await readdir(service.directory, { recursive: true })).filter((name) =>
    name.endsWith(".ids"),
  );
  await writeFile(join(service.directory, path), "nonsense");
  await expect(runOf([event("a")])).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
    message: expect.stringContaining("The ledger file"),
  });
});

test("several writes of a run share the known events, and a write without newOnly sends all of its events", async () => {
  await runOf([event("a"), event("b")]);
  const receipt = await service.run([], async (batch) => {
    await batch.write("usage", [event("a"), event("c")], { newOnly: true });
    const writer = batch.writer("usage", { newOnly: true });
    await writer.write([event("b"), event("d")]);
    await writer.end();
    await batch.write("usage", [event("a")]);
  });
  expect(receipt.collections.usage?.stats).toMatchObject({ sent: 3, skipped: 2 });
  expect(await runOf(["a", "b", "c", "d"].map((id) => event(id)))).toMatchObject({ sent: 0, skipped: 4 });
});

test("a preview skips the events that a run would skip, and records nothing", async () => {
  await runOf([event("a")]);
  const connector = connectorOf([], (batch) =>
    batch.write("usage", [event("a"), event("b")], { newOnly: true }),
  );
  const ledger = fileLedger(service.directory);
  const { installationId } = service;
  for (let i = 0; i < 2; i += 1) {
    const preview = await service.sync.preview(connector, { installationId, ledger });
    expect(preview.collections.usage?.stats).toMatchObject({ sent: 1, skipped: 1 });
  }
});

test("events do not make an installation known: the first snapshot is still held", async () => {
  await runOf([event("a")]);
  await expect(service.runAccounts(["u1"], { firstRun: false })).rejects.toMatchObject({ code: "RUN_HELD" });
});

test("a run is outdated if another one sends its events in the meantime", async () => {
  await runOf([event("a")]);
  const run = service.run([], async (batch) => {
    await batch.write("usage", [event("a"), event("b")], { newOnly: true });
    await runOf([event("a"), event("b")]);
  });
  await expect(run).rejects.toMatchObject({ code: "RUN_OUTDATED" });
});

test("newOnly works only for events of a run with a ledger", async () => {
  const written = service.run(["accounts"], (batch) =>
    batch.write("accounts", [{ id: "u1" }], { newOnly: true }),
  );
  await expect(written).rejects.toMatchObject({ message: expect.stringContaining("newOnly is for events") });
  await expect(runOf([event("a")], { ledger: "none" })).rejects.toMatchObject({
    message: expect.stringContaining("newOnly needs a ledger"),
  });
  const batch = await service.startBatch();
  await expect(batch.write("usage", [event("a")], { newOnly: true })).rejects.toMatchObject({
    message: expect.stringContaining("newOnly is for a run"),
  });
  expect(service.states()).not.toContain("completed");
});
