import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RecordOf } from "@saas-management/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vendorExports } from "../../examples/connectors/vendor-export/index.js";
import { type UsageLogOptions, usage } from "../../examples/connectors/vendor-export/usage-log.js";
import { DATA, rawRows } from "./raw-data.js";

const HEADING = "event_id,occurred_at,application,account,action,source_ip";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "usage-log-test-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function all(source: AsyncIterable<RecordOf<"usage">[]>) {
  const events: RecordOf<"usage">["generic"][] = [];
  for await (const some of source) events.push(...some.map(({ generic }) => generic));
  return events;
}

async function read(lines: readonly string[], options: UsageLogOptions) {
  const path = join(folder, "log.csv");
  await writeFile(path, `${[HEADING, ...lines].join("\n")}\n`);
  return all(usage(pathToFileURL(path), options));
}

const LINES = [
  "EV-3,2026-03-31T19:58:40+02:00,Board,a,open,10.0.0.1",
  "EV-2,2026-03-29T00:30:00+01:00,Draw,b,open,10.0.0.1",
  "EV-1,2025-12-01T12:00:00Z,Board,c,edit,10.0.0.1",
];

describe("the usage log", () => {
  test("gives the events of the products that are asked for, at their own times", async () => {
    expect(await read(LINES, { products: ["Board"] })).toEqual([
      {
        id: "EV-3",
        sourceActorId: "a",
        externalProductName: "Board",
        lastActivity: new Date("2026-03-31T17:58:40Z"),
      },
      {
        id: "EV-1",
        sourceActorId: "c",
        externalProductName: "Board",
        lastActivity: new Date("2025-12-01T12:00:00Z"),
      },
    ]);
  });

  test("moves by whole days so that its newest entry, of whatever product, is of yesterday", async () => {
    const events = await read(LINES, { products: ["Draw"], asOf: new Date("2027-01-11T00:00:01Z") });
    expect(events.map(({ lastActivity }) => lastActivity)).toEqual([new Date("2027-01-07T23:30:00Z")]);
  });

  test("can move back as well as forth", async () => {
    const events = await read(LINES, { products: ["Board"], asOf: new Date("2026-03-30T23:59:59Z") });
    expect(events[0]?.lastActivity).toEqual(new Date("2026-03-29T17:58:40Z"));
  });

  test("fails where an entry is newer than the one before", async () => {
    const failure = read([...LINES].reverse(), { products: ["Board"] });
    await expect(failure).rejects.toThrow("log.csv: line 3 is newer than the line before");
  });

  test("fails at an unreadable time of a product that nobody asked for, too", async () => {
    const failure = read([...LINES, "EV-0,yesterday,Draw,b,open,"], { products: ["Board"] });
    await expect(failure).rejects.toThrow("log.csv: line 5 should have a date and time with an offset");
  });
});

describe("the committed usage log", async () => {
  const asOf = new Date("2030-06-15T03:00:00Z");
  const events = (await Promise.all(vendorExports(DATA).map((vendor) => all(vendor.usage(asOf))))).flat();

  test("reaches the three vendors whole and once", () => {
    const ids = rawRows("usage-log").map((row) => row["event_id"]);
    expect(events.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  test("ends yesterday, whatever day it is", () => {
    const newest = Math.max(...events.map(({ lastActivity }) => new Date(lastActivity).getTime()));
    expect(new Date(newest).toISOString().slice(0, 10)).toBe("2030-06-14");
  });

  test("names accounts that the vendors know, but for those of deleted accounts", async () => {
    const known = new Set<string>();
    const dangling = new Set<string>();
    for (const vendor of vendorExports(DATA)) {
      for await (const some of vendor.accounts()) for (const { generic } of some) known.add(generic.id);
      for await (const some of vendor.licenses())
        for (const { generic } of some) dangling.add(generic.sourceAccountId);
    }
    expect(events.filter(({ sourceActorId: id }) => !known.has(id) && !dangling.has(id))).toEqual([]);
    expect(JSON.stringify(events)).not.toMatch(/10\.1\d\./);
  });
});
