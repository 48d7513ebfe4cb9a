import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { parse } from "papaparse";
import { beforeAll, expect, test } from "vitest";
import { SaasManagementClient } from "../../../src/index.js";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli, startCli } from "../../support/cli.js";

const LICENSES = 2345;
const NAME = (i: number) => (i === 0 ? '=HYPERLINK("x")' : `Ada ${i}\u001b[2J\u009b2J\u202e`);
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const server = await startReferenceServer({
    portfolio: {
      applications: [{ name: "Chat" }],
      planPrices: [{ planName: "Pro", annualPricePerSeat: "12.50", currency: "EUR" }],
    },
  });
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  env = { SAAS_MANAGEMENT_BASE_URL: baseUrl, SAAS_MANAGEMENT_API_KEY: apiKey };
  const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
  const batch = await client.sync.startBatch({ installationId });
  const details = { model: "SEAT_BASED", seatBased: { paidSeats: LICENSES } } as const;
  await batch.write("plans", [{ id: "pro", externalPlanName: "Pro", details }]);
  const ids = Array.from({ length: LICENSES }, (_, i) => i);
  await batch.write(
    "accounts",
    ids.map((i) => ({ id: `u${i}`, name: NAME(i), email: `u${i}@example.com` })),
  );
  await batch.write(
    "licenses",
    ids.map((i) => ({ sourceId: `l${i}`, sourceAccountId: `u${i}`, sourcePlanId: "pro", billable: true })),
  );
  await batch.complete();
  await client.close();
  return () => server.close();
});

test("writes all pages as JSONL, each line a whole node", async () => {
  const { code, out, error } = await runCli(["export", "licenses"], { env });
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const nodes = out
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(nodes).toHaveLength(LICENSES);
  expect(nodes[1]).toMatchObject({ plan: { name: "Pro" }, annualPrice: { amount: 12.5, currency: "EUR" } });
});

test("writes CSV with one header, and no cells that a spreadsheet would run", async () => {
  const fields = "holder.name,holder.email,annualPrice.amount";
  const order = '[{"holder":{"email":"ASC"}},{"id":"ASC"}]';
  const args = ["export", "licenses", "--format", "csv", "--fields", fields, "--order", order];
  const { out } = await runCli(args, { env });
  const { data, errors } = parse<string[]>(out.trimEnd());
  expect(errors).toEqual([]);
  expect(data).toHaveLength(1 + LICENSES);
  expect(data[0]).toEqual(fields.split(","));
  expect(data[1]).toEqual(['\'=HYPERLINK("x")', "u0@example.com", "12.5"]);
});

test("writes the requested fields and nodes", async () => {
  const where = '{"holder":{"email":{"eq":"u7@example.com"}}}';
  const args = ["export", "licenses", "--where", where, "--fields", "plan.name, state.activity", "--json"];
  expect(await runCli(args, { env })).toEqual({
    code: 0,
    out: '{"plan.name":"Pro","state.activity":"UNUSED"}\n',
    error: "",
  });
});

test.each(["csv", "jsonl"])("%s has no terminal sequences, and JSON loses nothing", async (format) => {
  const args = ["export", "licenses", "--format", format, "--fields", "holder.name"];
  const { out } = await runCli(args, { env });
  expect(out).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e]/u);
  expect(out).toContain(`Ada 7\\u001b[2J\\u009b2J\\u202e`);
  if (format === "jsonl")
    expect(out.split("\n").map((line) => line && JSON.parse(line)["holder.name"])).toContain(NAME(7));
});

test.each([
  [["export", "licenses"], 3],
  [["report", "--format", "html"], 3],
  [["--help"], 1],
])("%j ends silently with 0 if its reader has seen enough", async (args, lines) => {
  const child = startCli(args, { env });
  const head = createInterface({ input: child.stdout });
  let read = 0;
  for await (const _ of head) if (++read === lines) break;
  child.stdout.destroy();
  const [[code], error] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
});

test("an empty list gives an empty export, and CSV still has its header", async () => {
  const none = ["--where", '{"name":{"eq":"nothing"}}'];
  expect(await runCli(["export", "license-plans", ...none], { env })).toMatchObject({ code: 0, out: "" });
  const { out } = await runCli(["export", "license-plans", "--format", "csv", ...none], { env });
  expect(out).toMatch(/^id,name,integration\.name,/);
});

test.each([
  [["export", "users"], 2, "Allowed choices are applications, licenses, license-plans"],
  [["export", "licenses", "--fields", "holder.Name"], 2, "Did you mean holder.name?"],
  [["export", "licenses", "--where", "[]"], 2, "It must be JSON like '{"],
  [["export", "licenses", "--order", "7"], 2, "It must be JSON like '[{"],
  [["export", "licenses", "--limit", "-1"], 2, "It must be a number"],
  [["export", "licenses", "--where", '{"nothing":{"eq":1}}'], 1, "The field `nothing` does not exist"],
  [["export", "licenses", "--json", "--format", "csv"], 2, "Leave out --format"],
])("refuses %o with exit code %i", async (args, code, message) => {
  const result = await runCli(args, { env });
  expect(result).toMatchObject({ code, out: "", error: expect.stringContaining(message) });
});

test("a key that the service does not know is exit code 77", async () => {
  const result = await runCli(["export", "applications"], {
    env: { ...env, SAAS_MANAGEMENT_API_KEY: "other" },
  });
  expect(result).toMatchObject({ code: 77, out: "" });
});
