/** What a person reads when a run is held: enough to decide within a minute, and no record contents. */
import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { fileLedger, type HeldReport } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { license, recordsOf } from "../../support/records.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const DAY_MS = 24 * 60 * 60 * 1000;

interface Person {
  readonly id: string;
  readonly name?: string;
  readonly email?: string;
  readonly active?: boolean;
}

const people = (count: number, change: (i: number) => Omit<Person, "id"> = () => ({})): Person[] =>
  ids(count).map((id, i) => ({
    id,
    name: `Name ${i}`,
    email: `${id}@x.example`,
    active: i % 8 > 0,
    ...change(i),
  }));

const run = (accounts: readonly Person[], options?: Parameters<typeof service.run>[2]) =>
  service.run(["accounts"], async (batch) => void (await batch.write("accounts", accounts)), options);

test.each([
  ["all inactive", () => ({ active: false }), { name: "active", value: "false", before: 5, changed: 35 }],
  ["no mail address", () => ({ email: "" }), { name: "email", value: "empty", changed: 40 }],
] as const)(
  "names the new value of a field, how many records already had it, and three ids: %s",
  async (_, change, field) => {
    await run(people(40));
    const { reasons, error } = await heldBy(run(people(40, change)));
    expect(reasons).toMatchObject([{ rule: "changed", fields: [{ ...field, sampled: 40, usual: 0 }] }]);
    const [{ examples = [], message = "" } = {}] = reasons;
    expect(new Set(examples).size).toBe(3);
    for (const id of examples) expect(ids(40)).toContain(id);
    expect(message).toContain(`\`${field.name}\`: ${field.changed} of 40 sampled records`);
    expect(`${error.report}`).toContain(
      `such as ${examples.map((id) => `"${id}"`).join(", ")}\nCheck the columns`,
    );
  },
);

test("says which records refer to missing ones, and the ledger keeps none of their ids", async () => {
  const send = (...plans: readonly string[]) =>
    service.run(["plans", "licenses"], async (batch) => {
      await batch.write("plans", recordsOf("plans", plans));
      await batch.write(
        "licenses",
        ids(40).map((id) => license(id, "a", "p")),
      );
    });
  await send("p", "q");
  const { reasons, error } = await heldBy(send("q"));
  expect(`${error.report}`).toMatch(
    /such as "u\d+" \(names "p"\), "u\d+" \(names "p"\), "u\d+" \(names "p"\)/,
  );
  const { installationId, directory } = service;
  const { held } = await service.sync.history({ installationId, ledger: fileLedger(directory) });
  expect(held[0]?.reasons[0]).not.toHaveProperty("missing");
  expect(reasons).toMatchObject([
    {
      fields: [{ name: "sourcePlanId", value: "missing", changed: 40 }],
      missing: ["p", "p", "p"],
      message: expect.stringContaining("40 of 40 sampled records refer to no record of plans in this run"),
      advice: expect.stringContaining("the collections that these records refer to"),
    },
  ]);
});

test("never quotes a record's text", async () => {
  await run(people(40));
  const { error } = await heldBy(run(people(40, () => ({ name: "undefined undefined" }))));
  expect(error.report.reasons[0]?.fields).toEqual([
    { name: "name", sampled: 40, changed: 40, usual: 0, before: 0 },
  ]);
  for (const text of [error.message, inspect(error), JSON.stringify(error)])
    expect(text).not.toContain("undefined undefined");
});

test("lists all changed records in a file, and history() reads its examples from that file", async () => {
  const odd = (id: string) => ({ id: `${id}\n\\`, name: "n" });
  const sent = (email: boolean) => ids(30).map((id) => ({ ...odd(id), ...(email && { email: `${id}@x` }) }));
  await run(sent(true));
  const { reasons } = await heldBy(run(sent(false)));
  const { installationId, directory } = service;
  const { held } = await service.sync.history({ installationId, ledger: fileLedger(directory) });
  expect(held[0]?.reasons[0]?.examples).toEqual(reasons[0]?.examples);
  const listed = await readFile(`${reasons[0]?.listedIn}`, "utf8");
  expect(listed.split("\n").slice(1, -2).toSorted()).toEqual(
    ids(30)
      .map((id) => `${id}\\n\\\\`)
      .toSorted(),
  );
  const states = (await service.files()).filter((path) => /state\.\d+$/.test(path));
  for (const path of states) expect(await readFile(path, "utf8")).not.toMatch(/u1\d/);
});

test("names no ids of changed records if the ledger hashes ids", async () => {
  const ledger = fileLedger(service.directory, { hashIds: true });
  await run(people(40), { ledger });
  const { reasons } = await heldBy(
    run(
      people(40, () => ({ active: false })),
      { ledger },
    ),
  );
  expect(reasons).toMatchObject([{ rule: "changed", examples: [] }]);
  expect(reasons[0]).not.toHaveProperty("listedIn");
});

test("shows the last seven runs and what they removed and added, without approved ones", async () => {
  for (const count of [100, 101, 102, 100, 98, 100, 101, 103]) {
    await run(people(count));
    service.clock.advance(DAY_MS);
  }
  const approved = await heldBy(run(people(60)));
  await run(people(60), { approve: approved.approvalId });
  const told: HeldReport[] = [];
  const onHeld = (report: HeldReport) => void told.push(report);
  const { error, reasons } = await heldBy(run(people(10), { onHeld }));
  expect(told).toEqual([error.report]);
  const [usual] = reasons.map((reason) => reason.usual);
  expect(usual).toMatchObject({ sent: [102, 100, 98, 100, 101, 103, 60] });
  expect(usual?.removed?.map((share) => share.toFixed(4))).toEqual(["0.0000", "0.0200"]);
  expect(usual?.added?.map((share) => share.toFixed(4))).toEqual(["0.0000", "0.0204"]);
  const lines = `${error.report}`.split("\n");
  expect(lines[1]).toBe("accounts  102 100 98 100 101 103 60 → 10");
  expect(lines[2]).toMatch(/; usually 0 to 2%; the limit is \d+$/);
});

test("begins with the worst reason, and with removals before anything else", async () => {
  const plans = (count: number) => ids(count).map((id) => ({ id, externalPlanName: id, details: SEATS }));
  const both = (accounts: readonly Person[], count: number) =>
    service.run(["accounts", "plans"], async (batch) => {
      await batch.write("accounts", accounts);
      await batch.write("plans", plans(count));
    });
  await both(people(40), 40);
  const { error, reasons } = await heldBy(
    both(
      people(40, () => ({ active: false })),
      25,
    ),
  );
  expect(reasons.map(({ collection, rule }) => [collection, rule])).toEqual([
    ["plans", "removed"],
    ["accounts", "changed"],
  ]);
  const lines = `${error.report}`.split("\n").map((line) => line.split(/ \(|\/sdk-/)[0]);
  expect(lines.slice(0, -1)).toEqual([
    "Held: 15 of 40 plans would be removed, and 1 more reason. Nothing was sent.",
    "plans  40 → 25",
    "- plans: 15 of 40 known ids would be removed",
    "accounts  40 → 40",
    "- accounts: `active`: 35 of 40 sampled records became false; 5 already were",
    "Check the filter and the pages: a source that is cut off or filtered looks like this.",
    "Check the columns: a renamed or swapped one looks like this.",
    "If the source is wrong, fix it and run again: there is nothing to undo.",
    expect.stringMatching(/^The ids are listed in /),
  ]);
});

const SEATS = { model: "SEAT_BASED", seatBased: { paidSeats: 3 } } as const;

test.each([
  ["half is missing", ids(20), /the filter and the pages/, { removed: 10, added: 20 }],
  ["all others", ids(40, "v"), /the tenant and the field that ids come from/, { removed: 10, added: 20 }],
  ["many more", ids(80), / another tenant.* after a removal/, { removed: 10, added: 20 }],
] as const)("says what to check, and what would have passed: %s", async (_, sent, advice, limits) => {
  await service.runAccounts(ids(40));
  const { reasons } = await heldBy(service.runAccounts(sent));
  expect(reasons[0]).toMatchObject({ advice: expect.stringMatching(advice), limits });
});

test("shows no limit for a rule that is off", async () => {
  await service.runAccounts(ids(40));
  const guard = { removed: false, added: { maxShare: Number.POSITIVE_INFINITY } } as const;
  const { reasons } = await heldBy(service.runAccounts(ids(20), { guard }));
  expect(reasons).toMatchObject([{ rule: "window", limits: {} }]);
  expect(reasons[0]?.limits).toEqual({});
});

test("when thrown, is printed in full and only once, with the place of the call", async () => {
  await service.runAccounts(ids(40));
  const { error } = await heldBy(service.runAccounts(ids(2)));
  // For an uncaught error, Node doesn't call the error's custom inspection.
  for (const printed of [inspect(error), inspect(error, { customInspect: false, depth: 5 })]) {
    expect(printed.startsWith(`RunHeldError: ${error.report}\n    at `)).toBe(true);
    expect(printed.split("38 of 40 accounts would be removed")).toHaveLength(2);
  }
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ report: { reasons: [{ rule: "removed" }] } });
});
