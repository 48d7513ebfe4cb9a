import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connector, options } from "../../../examples/postgres.mjs";
import { postgresServer, skipped, whySkipped } from "../../support/postgres.js";
import { rejection } from "../../support/promises.js";
import { testService } from "../../support/test-service.js";
import { createHrTables } from "./hr-tables.js";
import { expectWithstands } from "./kit.js";

describe.skipIf(skipped)(`the PostgreSQL connector${whySkipped}`, () => {
  const service = testService();
  const database = postgresServer();

  beforeEach(() => {
    for (const [name, value] of Object.entries(database.connection))
      vi.stubEnv(`PG${name.toUpperCase()}`, value);
  });
  afterEach(() => vi.unstubAllEnvs());
  const run = () => service.run(connector.snapshots, connector.run, options);

  test("withstands every fault of its source", async () => {
    await createHrTables(database.pool());
    await expectWithstands(connector, 12);
    await database.pool().query("DROP TABLE people, sign_ins");
  });

  test("writes all people, then the sign-ins since the last run, and fails where a policy hides rows", async () => {
    const pool = database.pool();
    await createHrTables(pool);
    await run();
    const { employees, usage } = service.inspect().snapshots;
    expect(employees).toHaveLength(1200);
    expect(employees.find(({ id }) => id === "p7")?.record).toMatchObject({
      fullName: "Person 7",
      email: "person.7@polarvik.example",
      attributes: { department: "Department 7" },
    });
    expect(employees.filter(({ record }) => "deleted" in record && record.deleted)).toHaveLength(24);
    expect(usage).toHaveLength(2000);

    await pool.query("INSERT INTO sign_ins VALUES (2001, 'p1', NULL, now())");
    const { collections } = await run();
    expect(collections.employees?.expected).toMatchObject({ kept: 1200, removed: 0 });
    expect(collections.usage?.stats.sent).toBe(1);

    await pool.query(`CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader;
      ALTER TABLE people ENABLE ROW LEVEL SECURITY;
      CREATE POLICY one_fifth ON people USING (department <> 'Department 3')`);
    vi.stubEnv("PGUSER", "reader");
    vi.resetModules(); // The module's pool keeps connections of the other user.
    const reading = await import("../../../examples/postgres.mjs");
    const refused = service.run(connector.snapshots, reading.connector.run);
    expect(await rejection(refused)).toMatchObject({ code: "42501" });
    expect(service.states()).toEqual(["completed", "completed"]);
  });
});
