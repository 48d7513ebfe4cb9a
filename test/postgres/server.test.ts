import { describe, expect, test } from "vitest";
import { postgresServer, skipped, whySkipped } from "../support/postgres.js";

describe.skipIf(skipped)(`the fixture PostgreSQL server${whySkipped}`, () => {
  const server = postgresServer();

  test("keeps what was committed over a restart and a crash", async () => {
    const pool = server.pool({ max: 2 });
    await pool.query("CREATE TABLE kept (value text)");
    for (const mode of ["fast", "immediate"] as const) {
      await pool.query("INSERT INTO kept VALUES ($1)", [mode]);
      await server.restart(mode);
    }
    expect((await pool.query("SELECT value FROM kept ORDER BY value")).rows).toEqual([
      { value: "fast" },
      { value: "immediate" },
    ]);
  });

  test("sorts as people do, not by bytes", async () => {
    const { rows } = await server
      .pool()
      .query("SELECT value FROM (VALUES ('a-b'), ('aa'), ('B')) AS t (value) ORDER BY value");
    expect(rows.map(({ value }) => value)).toEqual(["a-b", "aa", "B"]);
  });
});
