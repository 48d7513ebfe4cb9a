import { type Pool, postgresLedger, postgresStaging } from "@saas-management/sdk/postgres";
import { describe, expect, test } from "vitest";
import { accounts } from "../support/accounts.js";
import { postgresServer, skipped, whySkipped } from "../support/postgres.js";
import { ids, testService } from "../support/test-service.js";

const pool: Pool = { query: () => Promise.resolve({ rows: [] }) };

test.each([
  [[{}], "The pool of postgresStaging must be an object with the methods query."],
  [[pool, { keep: 1 }], "keep must be true or false."],
  [[pool, { hashIds: true }], "postgresStaging: unknown option hashIds. Known: schema, keep."],
])("postgresStaging refuses %j", (args, message) => {
  expect(() => Reflect.apply(postgresStaging, undefined, args)).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION", message }),
  );
});

describe.skipIf(skipped)(`a staging in PostgreSQL${whySkipped}`, () => {
  const server = postgresServer();
  const service = testService();

  /** The same run, as a host with a pool of its own opens it. */
  function open(schema: string) {
    const hosts = server.pool({ max: 2 });
    return service.syncClient().stage(postgresStaging(hosts, { schema }), {
      runKey: "night",
      version: "1",
      installationId: service.installationId,
      ledger: postgresLedger(hosts, { schema }),
      partitions: { accounts: ["a", "b"] },
    });
  }

  const count = async (schema: string, table: string) =>
    Number((await server.pool().query(`SELECT count(*) FROM ${schema}.staging_${table}`)).rows[0].count);

  test("is filled by two hosts, of which one is the first for each partition", async () => {
    const schema = server.schema();
    const [first, second] = await Promise.all([open(schema), open(schema)]);
    await Promise.all([
      first.extract("accounts", "a", [accounts(ids(50_000, "a"))]),
      second.extract("accounts", "b", accounts(ids(3, "b"))),
    ]);
    const expected = [
      { partition: "a", state: "sealed", records: 50_000, attempts: 1 },
      { partition: "b", state: "sealed", records: 3, attempts: 1 },
    ];
    for (const run of [first, second, await open(schema)]) expect(await run.status()).toMatchObject(expected);
    await expect(second.extract("accounts", "a", [])).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await count(schema, "pieces")).toBeGreaterThan(0);
    await second.discard();
    await expect(first.status()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await count(schema, "pieces")).toBe(0);
  });

  test("keeps nothing of an extraction whose run was discarded meanwhile", async () => {
    const schema = server.schema();
    const [first, second] = await Promise.all([open(schema), open(schema)]);
    const source = async function* () {
      yield accounts(ids(100_000));
      expect(await count(schema, "drafts")).toBe(1);
      await second.discard();
      expect(await count(schema, "pieces")).toBe(0);
      yield accounts(ids(100_000, "late"));
    };
    await expect(first.extract("accounts", "a", source())).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("was discarded"),
    });
    for (const table of ["drafts", "pieces"]) expect(await count(schema, table)).toBe(0);
  });
});
