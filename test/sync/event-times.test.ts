/** An event keeps an account active until the event's time and can't be undone, so the time must be plausible. */
import { Readable } from "node:stream";
import type { EventCollection, RecordOf } from "@saas-management/sdk";
import { fromJsonl } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { connectorOf } from "../support/connector.js";
import { usage } from "../support/records.js";
import { testService } from "../support/test-service.js";

const service = testService({ sync: { retry: false } });

const HOUR = 3_600_000;
const fromNow = (ms: number) => new Date(service.clock.now() + ms);

const EVENTS = {
  usage: (time: Date | string) => usage("2999-01-01T00:00:00Z", time),
  externallyDiscoveredUsage: (lastActivityTo: Date | string) => ({
    sourceActorId: "u1",
    lastActivityFrom: "2020-01-01T00:00:00Z",
    lastActivityTo,
  }),
};

const send = <C extends EventCollection>(collection: C, ...records: RecordOf<C>[]) =>
  service.run([], (batch) => batch.write(collection, records));

test.each<[keyof typeof EVENTS, string]>([
  ["usage", "lastActivity"],
  ["externallyDiscoveredUsage", "lastActivityTo"],
])("refuses a time of %s that is more than a day ahead, or before 2000", async (collection, path) => {
  const event = EVENTS[collection];
  const bad: [Date | string, string][] = [
    [fromNow(25 * HOUR), "later"],
    ["9999-12-31T23:59:59Z", "later"],
    ["1999-12-31T23:59:59.999Z", "earlier"],
    [new Date(0), "earlier"],
  ];
  for (const [time, when] of bad)
    await expect(send(collection, event(time))).rejects.toMatchObject({
      code: "INVALID_INPUT",
      issues: [{ path, expected: expect.stringContaining(`got one that is ${when}`) }],
    });
  expect(service.states()).not.toContain("completed");
  for (const time of [fromNow(23 * HOUR), "2000-01-01T00:00:00Z"]) await send(collection, event(time));
});

test("an error names the line of the file and the option, but no time", async () => {
  const lines = [usage("e1", fromNow(0)), usage("e2", "2099-05-05T00:00:00Z")].map((one) =>
    JSON.stringify(one),
  );
  const source = fromJsonl<RecordOf<"usage">>(Readable.from([`${lines.join("\n")}\n`]), {
    name: "usage.jsonl",
  });
  const written = service.run([], (batch) => batch.write("usage", source));
  await expect(written).rejects.toMatchObject({
    message:
      'usage[1] (id "e2") (usage.jsonl:2) lastActivity: expected a time from the year 2000 to a day from now, got one that is later; sync.allowAnyEventTime permits it. Nothing was sent. Correct the records first.',
  });
});

test("finds an implausible time among the plain records of a block, in a run and in a batch without one", async () => {
  const events = Array.from({ length: 300 }, (_, i) => usage(`e${i}`, fromNow(i === 200 ? 48 * HOUR : 0)));
  await expect(send("usage", ...events)).rejects.toMatchObject({ issues: [{ index: 200, id: "e200" }] });
  const batch = await service.startBatch();
  await expect(batch.write("usage", events)).rejects.toMatchObject({ issues: [{ index: 200 }] });
  await batch.abort();
});

test("a preview lists an event with an implausible time like other invalid records", async () => {
  const events = [usage("e1", "2099-01-01T00:00:00Z"), usage("", fromNow(0)), usage("e3", fromNow(0))];
  const { installationId } = service;
  const preview = await service.sync.preview(
    connectorOf([], (batch) => batch.write("usage", events)),
    { installationId, ledger: "none" },
  );
  expect(preview.collections.usage?.issues.map(({ index, path }) => [index, path])).toEqual([
    [0, "lastActivity"],
    [1, "id"],
  ]);
});

test("compares times with the client's clock, even in a write that takes days", async () => {
  await service.run(
    [],
    async (batch) => {
      const writer = batch.writer("usage");
      for (let day = 0; day < 5; day += 1) {
        await writer.write(usage(`e${day}`, fromNow(HOUR)));
        await service.clock.advance(24 * HOUR);
      }
      await writer.end();
    },
    { timeoutMs: 30 * 24 * HOUR },
  );
  await expect(send("usage", usage("e9", fromNow(25 * HOUR)))).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
});

test("allowAnyEventTime sends any time, and the times in snapshots are never checked", async () => {
  const client = service.syncClient({ allowAnyEventTime: true });
  const { installationId } = service;
  const events = [usage("e1", "2099-01-01T00:00:00Z"), usage("e2", new Date(0))];
  const run = connectorOf([], (batch) => batch.write("usage", events));
  const { collections } = await client.run(run, { installationId, ledger: "none" });
  expect(collections.usage?.stats.accepted).toBe(2);
  const employee = { id: "p1", fullName: "Ada", creationTime: "1985-01-01T00:00:00Z" };
  await service.run(
    ["employees"],
    (batch) => batch.write("employees", [{ ...employee, deletionTime: "9999-12-31T23:59:59Z" }]),
    { firstRun: true },
  );
});
