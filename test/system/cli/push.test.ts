import { expect, test } from "vitest";
import { runCli } from "../../support/cli.js";
import { testService } from "../../support/test-service.js";

const service = testService();

const push = (...args: readonly string[]) =>
  runCli(["push", ...args], {
    cwd: service.directory,
    env: {
      HOME: service.directory,
      SAAS_MANAGEMENT_SYNC_URL: service.server.syncUrl,
      SAAS_MANAGEMENT_API_KEY: service.server.apiKey,
      SAAS_MANAGEMENT_INSTALLATION_ID: service.installationId,
    },
  });

const configure = (config: object) =>
  service.writeFile("saas-management.config.json", JSON.stringify(config));

const records = (collection: "accounts" | "plans"): readonly object[] =>
  service.inspect().snapshots[collection].map(({ record }) => record);

test("maps the columns of a file to fields, and converts cells to their types", async () => {
  await configure({
    push: {
      accounts: {
        file: "users.csv",
        fields: { Nummer: "id", "E-Mail": "email", Aktiv: "active", Rollen: "roles" },
        delimiter: ";",
        encoding: "windows-1252",
      },
    },
  });
  const text = "Nummer;E-Mail;Name;Aktiv;Rollen\n1;jürgen@x.example;J;yes;\n2;;K;0;admin\n";
  await service.writeFile("users.csv", Buffer.from(text, "latin1"));
  expect(await push("--first-run")).toMatchObject({ code: 0, error: "" });
  expect(records("accounts")).toEqual([
    expect.objectContaining({ id: "1", email: "jürgen@x.example", active: true }),
    expect.objectContaining({ id: "2", active: false, roles: ["admin"] }),
  ]);
});

test("fills nested fields by their paths, and required fields that have one value", async () => {
  await service.writeFile(
    "plans.csv",
    "id,externalPlanName,details.seatBased.paidSeats,attributes.tier\np1,Pro,12,gold\n",
  );
  expect(await push("plans.csv", "--first-run")).toMatchObject({ code: 0 });
  expect(records("plans")).toEqual([
    {
      id: "p1",
      externalPlanName: "Pro",
      attributes: { tier: "gold" },
      details: { model: "SEAT_BASED", seatBased: { paidSeats: 12 } },
    },
  ]);
});

test("sends the files of a collection as one snapshot, each with its own columns and location", async () => {
  await configure({ push: { accounts: { file: ["berlin.csv", "oslo.jsonl"] } } });
  await service.writeFile("berlin.csv", "id,active\nb1,yes\n");
  await service.writeFile("oslo.jsonl", '{"id":"o1","active":false}\n');
  expect(await push("--first-run")).toMatchObject({ code: 0, error: "" });
  expect(records("accounts")).toEqual([
    { id: "b1", active: true },
    { id: "o1", active: false },
  ]);
  await service.writeFile("oslo.csv", "active,id\nno,\n");
  const pairs = ["berlin.csv", "oslo.csv"].flatMap((file) => ["--collection", `accounts=${file}`]);
  const { code, error } = await push(...pairs);
  expect({ code, error }).toEqual({ code: 65, error: expect.stringContaining('oslo.csv:2, column "id"') });
});

test("sends JSONL as it is", async () => {
  await service.writeFile("accounts.jsonl", '{"id":"u1","active":true}\n');
  expect(await push("accounts.jsonl", "--first-run")).toMatchObject({ code: 0 });
  await service.writeFile("accounts.jsonl", '{"id":"u1","active":"yes"}\n');
  const { code, error } = await push("accounts.jsonl");
  expect(code).toBe(65);
  expect(error).toContain("accounts.jsonl:1");
});

test("sends only the events since the last completed run", async () => {
  const line = (id: string, day: number) => `${id},u1,2026-01-0${day}T00:00:00Z\n`;
  const head = "id,sourceActorId,lastActivity\n";
  await service.writeFile("usage.csv", head + line("e1", 1) + line("e2", 2));
  await push("usage.csv");
  await service.writeFile("usage.csv", head + line("e1", 1) + line("e2", 2) + line("e3", 3));
  const { code, out, error } = await push("usage.csv", "--json");
  expect(code).toBe(0);
  // The last event is sent again, because another one may have had its time.
  expect(JSON.parse(out).collections.usage.stats.sent).toBe(2);
  expect(error).toContain("1 events before 2026-01-02T00:00:00.000Z");
});

test.each<[what: string, config: object, args: string[], named: string]>([
  ["a field that does not exist", { push: { accounts: { fields: { Id: "ID" } } } }, [], "Did you mean id?"],
  ["a column that the file lacks", { push: { accounts: { fields: { Id: "id" } } } }, [], '"Id"'],
  ["a collection that does not exist", {}, ["--collection", "account=accounts.csv"], "accounts"],
  ["a file of no known collection", {}, ["users.csv"], "--collection accounts=users.csv"],
  ["a file twice", {}, ["--collection", "accounts=accounts.csv"], "given twice"],
  ["stdin", {}, ["--collection", "usage=-"], "a pipe that breaks looks complete"],
])("refuses %s", async (_, config, args, named) => {
  await configure(config);
  await service.writeFile("accounts.csv", "id\nu1\n");
  const { code, error } = await push("accounts.csv", ...args);
  expect([2, 65, 78]).toContain(code);
  expect(error).toContain(named);
  expect(service.inspect().batches.filter(({ state }) => state === "completed")).toEqual([]);
});
