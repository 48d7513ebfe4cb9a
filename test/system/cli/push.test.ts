import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { Page } from "../../docs/pages.js";
import { runCli, settingsOf } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";

const service = testService();

const push = (...args: readonly string[]) =>
  runCli(["push", ...args], { cwd: service.directory, env: settingsOf(service) });

/** Writes a configuration that is a module, with this `push`. */
const configure = (entries: string) =>
  service.writeFile("saas-management.config.js", `export default { push: [${entries}] };`);

const records = (collection: "accounts" | "plans"): readonly object[] =>
  service.inspect().snapshots[collection].map(({ record }) => record);

test("detects the delimiter, says so, and converts a named file with its configured map", async () => {
  await service.writeFile("package.json", '{ "type": "module" }');
  await configure(`{
    collection: "accounts",
    file: "users.csv",
    encoding: "windows-1252",
    map: (row) => row.Nummer === "" ? undefined : {
      id: row.Nummer, email: row["E-Mail"] || null, active: row.Aktiv === "ja",
      roles: [row.Seit.split(".").reverse().join("-")],
    },
  }`);
  const text = 'Nummer;"E-Mail";Aktiv;Seit\n1;jürgen@x.example;ja;24.12.2025\n2;;nein;1.2.2024\n;;;\n';
  await service.writeFile("users.csv", Buffer.from(text, "latin1"));
  const { code, error } = await push("accounts=users.csv", "--first-run");
  expect(code).toBe(0);
  expect(error).toContain('users.csv: cells are separated by ";".');
  expect(records("accounts")).toEqual([
    { id: "1", email: "jürgen@x.example", active: true, roles: ["2025-12-24"] },
    { id: "2", active: false, roles: ["2024-2-1"] },
  ]);
});

test("the guide's configuration accepts known words, and names the line of an unknown one", async () => {
  const [code = ""] = (await Page.read("docs/guides/operating.md")).snippets();
  const guide = transformSync(code, { loader: "ts" }).code.replace(/^ *(syncUrl|ledger):.*\n/gm, "");
  await service.writeFile("saas-management.config.mjs", guide);
  await service.writeFile("users.csv", "User ID,E-Mail,Aktiv\nu1,ada@example.com,ja\nu2,,nein\n");
  expect(await push("--first-run")).toMatchObject({ code: 0 });
  const sent = [
    { id: "u1", email: "ada@example.com", active: true },
    { id: "u2", active: false },
  ];
  expect(records("accounts")).toEqual(sent);
  for (const word of ["yes", "Ja", "", "nein "]) {
    await service.writeFile("users.csv", `User ID,E-Mail,Aktiv\nu1,ada@example.com,ja\nu2,,${word}\n`);
    const { code, error } = await push();
    expect([code, error]).toEqual([
      65,
      expect.stringMatching(/users\.csv:3 made map throw: Aktiv must be ja or nein\.\n/),
    ]);
  }
  expect(records("accounts")).toEqual(sent);
});

test("fills lists, and fills nested fields and map entries by their paths", async () => {
  const head = "id\texternalPlanName\tdetails.model\tdetails.seatBased.paidSeats\tattributes.tier\n";
  await service.writeFile("plans.tsv", `${head}p1\tPro\tSEAT_BASED\t12\tgold\n`);
  await service.writeFile("accounts.csv", "id,roles,active\nu1,admin; owner,TRUE\n");
  expect(await push("plans.tsv", "accounts.csv", "--first-run")).toMatchObject({ code: 0 });
  expect(records("plans")).toEqual([
    {
      id: "p1",
      externalPlanName: "Pro",
      attributes: { tier: "gold" },
      details: { model: "SEAT_BASED", seatBased: { paidSeats: 12 } },
    },
  ]);
  expect(records("accounts")).toEqual([{ id: "u1", roles: ["admin", "owner"], active: true }]);
});

test("says which columns are not sent, and which field was probably meant", async () => {
  await service.writeFile("users.csv", "id,Name,Cost Centre,,x,x\nu1,Ada,7,,,\n");
  const { code, error } = await push("accounts=users.csv", "--first-run");
  expect(code).toBe(0);
  expect(error).toContain(
    'Warning: users.csv: not sent, because they aren\'t fields: "Name" (Did you mean name?), "Cost Centre", "x".',
  );
});

/** The one line that is printed for a refused file. */
async function refusedAs(file: string, content: string | Uint8Array, ...args: readonly string[]) {
  await service.writeFile(file, content);
  const { code, error } = await push(file, "--first-run", ...args);
  expect(code).toBe(65);
  expect(service.inspect().batches).toEqual([]);
  return error.trim().replace("saas-management: ", "");
}

const NONE = (fields: string, length: number) =>
  `has none of the columns ${fields}; the line is ${length} characters long. If it is the right file, name the headings like the fields (id), or configure a map (docs/guides/operating.md).`;
const OF_ACCOUNTS = '"id", "name", "email", "username"';
const OF_USAGE = '"id", "sourceActorId", "externalProductName", "sourcePlanId"';

test.each<[string, string]>([
  ["Unauthorized", NONE(OF_ACCOUNTS, 12)],
  ["Error: 503 Service Unavailable\n", NONE(OF_ACCOUNTS, 30)],
  ["null", NONE(OF_ACCOUNTS, 4)],
  ["{code: 429}", NONE(OF_ACCOUNTS, 11)],
  ["version https://git-lfs.github.com/spec/v1\noid sha256:abc\n", NONE(OF_ACCOUNTS, 42)],
  [
    "ID;Name;Rolle\n1;Ada;x\n",
    'has none of the columns "id", "name", "email", "username"; the line is 13 characters long. If it is the right file, name the headings like the fields (id, name), or configure a map (docs/guides/operating.md).',
  ],
  [
    "Benutzer;name;E-Mail\n1;Ada;x\n",
    'lacks the columns "id"; it has "name". These aren\'t fields: "Benutzer", "E-Mail" (Did you mean email?).',
  ],
  [
    "name,email\nAda,x\n",
    'lacks the columns "id"; it has "name", "email". If it is the right file, name the headings like the fields (id), or configure a map (docs/guides/operating.md).',
  ],
])("refuses %j as accounts, in one message", async (content, message) => {
  const error = await refusedAs("accounts.csv", content);
  expect(error.split("\n").at(-1)).toBe(`accounts.csv:1 ${message}`);
});

test.each<[string, string | Uint8Array]>([
  ["Unauthorized", NONE(OF_USAGE, 12)],
  [
    "id,sourceActorId,lastActivity\u0085E,u1,2026-11-02T10:00:00Z\u0085",
    "usage.csv has no row after its header.",
  ],
])("refuses %j as events rather than taking it for a night without any", async (content, message) => {
  expect(await refusedAs("usage.csv", content)).toContain(message);
});

test("if every row has the same problem, reports the first three rows and how many more there are", async () => {
  const rows = Array.from({ length: 500 }, (_, i) => `u${i},Ja\n`).join("");
  const lines = (await refusedAs("accounts.csv", `id,active\n${rows}`)).split("\n");
  expect(lines).toHaveLength(5);
  expect(lines.slice(1)).toEqual([
    ...[2, 3, 4].map((line) => `  accounts.csv:${line} active: expected true or false, got a string`),
    expect.stringMatching(/^ {2}and at least \d+ more problems$/),
  ]);
});

test("accepts an events file without rows if its headings are fields, and a snapshot file only with allowEmpty", async () => {
  await service.writeFile("usage.csv", "id,sourceActorId,lastActivity\n");
  expect(await push("usage.csv", "--first-run")).toMatchObject({ code: 0 });
  await service.writeFile("accounts.csv", "id,name\n");
  const refused = await push("accounts.csv", "--first-run");
  expect(refused).toMatchObject({ code: 65, error: expect.stringContaining("set allowEmpty") });
  await service.writeFile("package.json", '{ "type": "module" }');
  await configure('{ collection: "accounts", file: "accounts.csv", allowEmpty: true }');
  expect(await push("--first-run")).toMatchObject({ code: 0 });
});

test("accepts --delimiter and --encoding, even for JSONL", async () => {
  await service.writeFile("users.csv", Buffer.from("id\u00a7name|x\n1\u00a7J\u00f6rg|y\n", "latin1"));
  const options = ["--encoding", "windows-1252", "--first-run"];
  expect(await push("accounts=users.csv", "--delimiter", "\u00a7", ...options)).toMatchObject({ code: 0 });
  expect(records("accounts")).toEqual([{ id: "1" }]);
  await service.writeFile("users.jsonl", Buffer.from('{"id":"1","name":"J\u00f6rg"}\n', "latin1"));
  expect(await push("accounts=users.jsonl", "--encoding", "windows-1252")).toMatchObject({ code: 0 });
  expect(records("accounts")).toEqual([{ id: "1", name: "J\u00f6rg" }]);
  await service.writeFile("users.tsv", "id\tname;email;type\n1\tAda;;\n");
  expect(await push("accounts=users.tsv", "--delimiter", "tab")).toMatchObject({ code: 0 });
});

test("a preview lists bad cells like other problems, with lines and allowed values, but never the cells", async () => {
  const head = "id,externalPlanName,details.model,details.seatBased.paidSeats\n";
  await service.writeFile(
    "plans.csv",
    `${head}p1,Pro,SEATS,12\np2,Pro,SEAT_BASED,"1.234,56"\np3,Pro,SEAT_BASED,5\n`,
  );
  const { code, out } = await push("plans.csv", "--preview", "--first-run");
  expect(code).toBe(65);
  expect(out).toContain("plans: 1 record");
  expect(out).toMatch(/\(plans\.csv:2\) details\.model: expected .*SEAT_BASED/);
  expect(out).toMatch(/\(plans\.csv:3\) details\.seatBased\.paidSeats: expected a whole number/);
  expect(out).not.toMatch(/SEATS|1\.234/);
});

test("sends a collection's files as one snapshot, each with its own columns and location", async () => {
  await service.writeFile("package.json", '{ "type": "module" }');
  await configure('{ collection: "accounts", file: ["berlin.csv", "oslo.jsonl"] }');
  await service.writeFile("berlin.csv", "id,active\nb1,true\n");
  await service.writeFile("oslo.jsonl", '{"id":"o1","active":false}\n');
  expect(await push("--first-run")).toMatchObject({ code: 0, error: "" });
  expect(records("accounts")).toEqual([
    { id: "b1", active: true },
    { id: "o1", active: false },
  ]);
  await service.writeFile("oslo.csv", "active,id\nfalse,\n");
  const { code, error } = await push("accounts=berlin.csv", "accounts=oslo.csv");
  expect({ code, error }).toEqual({ code: 65, error: expect.stringContaining("(oslo.csv:2) id: expected") });
});

test.each([
  ["--first-run=2,1", 0, ""],
  [
    "--first-run=2,2",
    65,
    "--first-run expects 2 records of plans, and the connector wrote 1. Nothing was sent",
  ],
  ["--first-run=2", 2, "--first-run takes no value, or a number of records for each of accounts,plans."],
  ["--first-run=2,x", 2, "--first-run takes no value"],
])("checks the record counts given for a first run: %s", async (option, code, said) => {
  await service.writeFile("accounts.jsonl", '{"id":"u1"}\n{"id":"u2"}\n');
  const seats = '{"model":"SEAT_BASED","seatBased":{}}';
  await service.writeFile("plans.jsonl", `{"id":"p","externalPlanName":"P","details":${seats}}\n`);
  const ran = await push("accounts.jsonl", "plans.jsonl", option);
  expect(ran).toMatchObject({ code, error: expect.stringContaining(said) });
  expect(records("accounts")).toHaveLength(code === 0 ? 2 : 0);
});

test("sends JSONL unchanged", async () => {
  await service.writeFile("accounts.jsonl", '{"id":"u1","active":true}\n');
  expect(await push("accounts.jsonl", "--first-run")).toMatchObject({ code: 0 });
  await service.writeFile("accounts.jsonl", '{"id":"u1","active":"yes"}\n');
  const { code, error } = await push("accounts.jsonl");
  expect(code).toBe(65);
  expect(error).toContain("accounts.jsonl:1");
});

test("sends only events that no completed run has sent, no matter what times they have", async () => {
  const line = (id: string, day: number) => `${id},u1,2026-01-0${day}T00:00:00Z\n`;
  const head = "id,sourceActorId,lastActivity\n";
  await service.writeFile("usage.csv", head + line("e1", 1) + line("e2", 2));
  await push("usage.csv");
  await service.writeFile(
    "usage.csv",
    head + line("e1", 1) + line("e2", 2) + line("late", 1) + line("e3", 3),
  );
  const { code, out, error } = await push("usage.csv", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out).collections.usage.stats).toMatchObject({ sent: 2, skipped: 2 });
  expect(error).toContain("usage: 2 of 4 events were sent before.");
});

const entry = (text: string) => `{ collection: "accounts", file: "accounts.csv", ${text} }`;

test.each<[what: string, entries: string, args: string[], named: string]>([
  ["a map that throws", entry("map: (row) => row.none.length"), [], "accounts.csv:2 made map throw"],
  ["a map for JSONL", '{ collection: "accounts", file: "a.jsonl", map: (row) => row }', [], "map is for CSV"],
  ["an entry of a wrong name", entry("fields: {}"), [], "unknown option fields"],
  ["a collection that does not exist", "", ["account=accounts.csv"], "There is no collection"],
  ["a file of no known collection", "", ["users.csv"], "accounts=users.csv"],
  ["a file twice", "", ["accounts.csv", "accounts=accounts.csv"], "given twice"],
  ["a file that does not exist", "", ["accounts=nothing.csv"], "nothing.csv"],
  ["stdin", "", ["usage=-"], "a broken pipe looks like complete data"],
])("refuses %s, without a misleading hint", async (_, entries, args, named) => {
  await service.writeFile("package.json", '{ "type": "module" }');
  await configure(entries);
  await service.writeFile("accounts.csv", "id\nu1\n");
  const { code, error } = await push(...args, "--first-run");
  expect([2, 65, 78]).toContain(code);
  expect(error).toContain(named);
  expect(error).not.toContain("doctor");
  expect(service.inspect().batches.filter(({ state }) => state === "completed")).toEqual([]);
});
