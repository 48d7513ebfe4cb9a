import { inspect } from "node:util";
import { type Pool, postgresLedger } from "@saas-management/sdk/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { PostgresStore } from "../../src/postgres/postgres-store.js";
import { postgresServer, skipped, whySkipped } from "../support/postgres.js";
import { heldBy, ids, testService } from "../support/test-service.js";

const pool: Pool = { query: () => Promise.resolve({ rows: [] }) };

test.each([
  ["pool", [undefined], "postgresLedger: pool must be an object with the methods query, got undefined."],
  [
    "pool",
    ["postgres://user:secret@host/db"],
    "pool must be an object with the methods query, got a string.",
  ],
  ["schema", [pool, { schema: "" }], "schema must be the name of a schema, got an empty string."],
  ["schema", [pool, { schema: 7 }], "schema must be the name of a schema, got 7."],
  ["schema", [pool, { schema: "x".repeat(64) }], "at most 63 bytes and no dollar sign"],
  ["schema", [pool, { schema: "a$b" }], "at most 63 bytes and no dollar sign"],
  ["option", [pool, { hashIds: "yes" }], "hashIds must be true or false, got a string."],
  ["option", [pool, { scheme: "x" }], "postgresLedger: unknown option scheme."],
])("postgresLedger refuses an invalid %s: %j", (_, args, message) => {
  expect(() => Reflect.apply(postgresLedger, undefined, args)).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION", message: expect.stringContaining(message) }),
  );
});

test("inspecting a ledger shows its schema, and nothing of its pool", () => {
  const ledger = postgresLedger(Object.assign({ password: "secret" }, pool));
  expect(ledger.location).toBe("postgres schema saas_management");
  expect(`${JSON.stringify(ledger)} ${inspect(ledger, { depth: null })}`).not.toContain("secret");
});

describe.skipIf(skipped)(`a ledger in PostgreSQL${whySkipped}`, () => {
  const server = postgresServer();
  const service = testService();
  let schema = "";
  beforeEach(() => {
    schema = server.schema();
  });

  test("stores no id in clear text with hashIds", async () => {
    const ledger = postgresLedger(server.pool(), { schema, hashIds: true });
    const named = Array.from({ length: 40 }, (_, i) => `person-${i}`);
    await service.runAccounts(named, { ledger });
    await heldBy(service.runAccounts(named.slice(0, 4), { ledger }));
    const { rows } = await server.pool().query(`SELECT key, rest FROM ${schema}.ledger_values`);
    expect(rows.length).toBeGreaterThan(2);
    // There are no lists for people to read either: they would contain only hashes.
    for (const { key, rest } of rows) expect(`${key} ${rest}`).not.toMatch(/person|[.]txt/);
  });

  test("keeps two installations and two schemas apart", async () => {
    const ledger = postgresLedger(server.pool(), { schema });
    await service.runAccounts(ids(40), { ledger });
    const other = service.server.createInstallation();
    await heldBy(service.runAccounts(ids(5), { ledger, installationId: other, firstRun: false }));
    const elsewhere = postgresLedger(server.pool(), { schema: server.schema() });
    await heldBy(service.runAccounts(ids(40), { ledger: elsewhere, firstRun: false }));
  });

  test("fails a run and says why if the database cannot be read; the error is retryable if the database is away", async () => {
    const ledger = postgresLedger(server.pool(), { schema });
    await service.runAccounts(ids(40), { ledger });
    await server.pool().query(`CREATE ROLE ${schema} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${schema}`);
    const denied = postgresLedger(server.pool({ user: schema }), { schema });
    await expect(service.runAccounts(ids(40), { ledger: denied })).rejects.toMatchObject({
      retryable: false,
      cause: {
        message:
          "PostgreSQL refused a statement (SQLSTATE 42501): permission denied for table ledger_values.",
      },
    });
    const away = postgresLedger(server.pool({ host: service.directory }), { schema });
    await expect(service.runAccounts(ids(40), { ledger: away })).rejects.toMatchObject({
      retryable: true,
      cause: { message: expect.stringMatching(/^A query to PostgreSQL failed: connect ENOENT .*5432\.$/) },
    });
    expect(service.present()).toHaveLength(40);
    expect(service.states().filter((state) => state === "completed")).toHaveLength(1);
  });

  test("an error of PostgreSQL shows no key and no value", async () => {
    const store = new PostgresStore(server.pool(), schema);
    await store.delete("none");
    await server.pool().query(
      `ALTER TABLE ${schema}.ledger_values ADD CHECK (key <> 'secret-key');
       CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE 'no % with %', NEW.key, NEW.rest USING DETAIL = NEW.key, HINT = NEW.key; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON ${schema}.ledger_values FOR EACH ROW
         WHEN (NEW.key = 'secret-other') EXECUTE FUNCTION ${schema}.fail()`,
    );
    for (const [key, code] of [
      ["secret-key", "23514"],
      ["secret-other", "P0001"],
      ["secret-\0", "22021"],
    ] as const) {
      const put = store.putIfAbsent(
        key,
        (async function* () {
          yield Buffer.from("secret-value");
        })(),
      );
      const error: unknown = await put.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ message: `PostgreSQL refused a statement (SQLSTATE ${code}).`, code });
      const hex = Buffer.from("secret").toString("hex");
      expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(new RegExp(`secret-|${hex}`));
    }
  });
});
