import { spawn } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { people, vendorFacts } from "../../examples/raw-data.js";

const ROOT = new URL("../../../", import.meta.url);
const vendors = vendorFacts();
const nextMonth = vendorFacts("-next-month");

let output: string;
let exitCode: number | null;

/** What `npm start` runs, without a terminal. */
beforeAll(async () => {
  const command = [
    "node_modules/tsx/dist/cli.mjs",
    "--tsconfig",
    "tsconfig.dev.json",
    "examples/quickstart.ts",
  ];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  exitCode = await new Promise((resolve) => child.on("close", resolve));
}, 70_000);

const format = (value: number) => value.toLocaleString("en");
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
/** The lines from a heading to the next one. */
function section(heading: string): string {
  const start = output.indexOf(heading);
  if (start === -1) throw new Error(`no "${heading}" in:\n${output}`);
  return output.slice(start).split(/\n\n(?=\S.*\n─)/)[0] ?? "";
}

test("exits with 0 and prints plain lines without a terminal", () => {
  expect(exitCode, output).toBe(0);
  expect(output).not.toContain("\u001b");
  expect(output).not.toContain("\r");
});

test("pushes this machine's accounts, groups and device", () => {
  expect(section("Push")).toMatch(
    /This machine +accounts \d+, groups \d+, groupMembers \d+, devices 1, usage \d+/,
  );
});

test("pushes every row of the exports", () => {
  const pushed = section("Push");
  expect(pushed).toContain(`employees ${format(people.length)}`);
  for (const { vendor, users, plans, licenses } of vendors) {
    expect(pushed).toMatch(
      new RegExp(`${vendor} +accounts ${users}, plans ${plans.length}, licenses ${licenses}, usage [\\d,]+`),
    );
  }
});

test("reports the seats of each plan as the exports have them", () => {
  const seats = section("Seats");
  for (const { name, paid, used, licenses } of vendors.flatMap(({ plans }) => plans)) {
    const total = paid ?? licenses;
    expect(seats).toMatch(new RegExp(`${name} +${total} +${used} +${total - used} `));
  }
});

test("sums the potential saving per currency and lists the ten most expensive unused licenses with their holders", () => {
  const unused = section("Licenses that nobody uses");
  const count = sum(vendors.flatMap(({ plans }) => plans).map(({ unused: licenses }) => licenses));
  expect(unused).toContain(`${format(count)} unused licenses`);
  expect(unused).toMatch(/per year: EUR [\d,]+\.\d\d, GBP [\d,]+\.\d\d, USD [\d,]+\.\d\d\./);
  const rows = unused
    .split("\n")
    .filter((line) => /(EUR|GBP|USD) [\d,]+\.\d\d +\S/.test(line) && /use/.test(line));
  expect(rows.slice(-10)).toHaveLength(10);
  expect(rows.at(-1)).toMatch(/\S+ \S+ +\S+@\S+/);
});

test("lists the renewals of the next 90 days in order", () => {
  const dates = [...section("Renewals in the next 90 days").matchAll(/^ +(\d{4}-\d\d-\d\d) /gm)].map(
    ([, date]) => date,
  );
  expect(dates).toHaveLength(7);
  expect(dates).toEqual([...dates].sort());
});

test("opens a procurement case for the largest saving and sanctions a vendor", () => {
  const done = section("What is done about it");
  expect(done).toMatch(
    /Procurement case "Quillmarsh Sales Pro: .*" is open \(PRE\): GBP [\d,]+\.\d\d a year/,
  );
  expect(done).toContain("Brambleboard is SANCTIONED: 1 vendor changed.");
});

test("previews what the second run would remove, which the guard allows", () => {
  const again = section("A month later");
  const [before, after] = [vendors[1], nextMonth[1]];
  if (before === undefined || after === undefined) throw new Error("no Brambleboard");
  const gone = before.users - after.users;
  expect(again).toContain("Preview: nothing was sent.");
  expect(again).toContain(`changes: 0 added, ${after.users} kept, ${gone} removed\n`);
  expect(again).toContain("A run would be completed.");
});

test("shows what the second run removed", () => {
  const again = section("A month later");
  const [before, after] = [vendors[1], nextMonth[1]];
  if (before === undefined || after === undefined) throw new Error("no Brambleboard");
  expect(again).toContain(`accounts: 0 added, ${after.users} updated, ${before.users - after.users} removed`);
  expect(again).toContain(
    `GraphQL showed ${before.licenses} Brambleboard licenses before and shows ${after.licenses} now.`,
  );
});
