import { describe, expect, test } from "vitest";
import { postgresConnector } from "../../../examples/connectors/postgres/index.js";
import { inSnapshot, readTable } from "../../../examples/connectors/postgres/tables.js";
import { postgresServer, skipped, whySkipped } from "../../support/postgres.js";
import { rejection } from "../../support/promises.js";
import { all } from "../../support/source-reading.js";
import { testService } from "../../support/test-service.js";
import { createHrTables } from "./hr-tables.js";

describe.skipIf(skipped)(`the connector of tables in PostgreSQL${whySkipped}`, () => {
  const service = testService();
  const database = postgresServer();

  async function tables() {
    const pool = database.pool();
    const schema = database.schema();
    await createHrTables(pool, schema);
    return { pool, schema };
  }

  test("writes all rows of three tables", async () => {
    const { pool, schema } = await tables();
    const { snapshots, run } = postgresConnector(pool, schema);
    await service.run(snapshots, run);
    const { employees, groups, groupMembers } = service.inspect().snapshots;
    expect(employees).toHaveLength(1200);
    expect(employees.find(({ id }) => id === "p7")?.record).toMatchObject({
      fullName: "Person 7",
      email: "person.7@polarvik.example",
      managerId: "p1",
      attributes: { department: "Department 7" },
    });
    expect(employees.filter(({ record }) => "deleted" in record && record.deleted)).toHaveLength(24);
    expect(groups).toHaveLength(20);
    expect(groupMembers).toHaveLength(1200);
  });

  test("sees all tables as they were when it began", async () => {
    const { pool, schema } = await tables();
    await inSnapshot(pool, schema, async (reader) => {
      const people = await readTable<{ id: string }>(reader, "people", ["id"]);
      await pool.query(`DELETE FROM ${schema}.team_members`);
      await pool.query(`DELETE FROM ${schema}.people`);
      expect((await all(people.rows(({ id }) => id))).length).toBe(people.count);
      const members = await readTable<{ person_id: string }>(reader, "team_members", ["person_id"]);
      expect(members.count).toBe(1200);
    });
  });

  test("is refused if a policy hides rows from it, and removes nothing", async () => {
    const { pool, schema } = await tables();
    await pool.query(`CREATE ROLE ${schema}_reader LOGIN;
      GRANT USAGE ON SCHEMA ${schema} TO ${schema}_reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${schema}_reader`);
    const { snapshots, run } = postgresConnector(database.pool({ user: `${schema}_reader` }), schema);
    await service.run(snapshots, run);
    await pool.query(`ALTER TABLE ${schema}.people ENABLE ROW LEVEL SECURITY;
      CREATE POLICY one_fifth ON ${schema}.people USING (department <> 'Department 3')`);
    expect(await rejection(service.run(snapshots, run))).toMatchObject({ code: "42501" });
    expect(service.states()).toEqual(["completed"]);
  });
});
