import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { postgresServer, skipped, whySkipped } from "../../support/postgres.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TSX = ["node_modules/tsx/dist/cli.mjs", "--tsconfig", "tsconfig.dev.json"];

describe.skipIf(skipped)(`a table with the ledger beside it${whySkipped}`, () => {
  const database = postgresServer();

  test("sends all rows, and leaves their ids in the same database", async () => {
    const pool = database.pool();
    await pool.query("CREATE TABLE people (id text PRIMARY KEY, name text NOT NULL, email text)");
    await pool.query(
      "INSERT INTO people SELECT 'p' || n, 'Person ' || n, CASE WHEN n % 3 > 0 THEN n || '@example.com' END FROM generate_series(1, 5000) n",
    );
    const { host, user, database: name } = database.connection;
    const { stdout } = await promisify(execFile)(process.execPath, [...TSX, "examples/postgres-table.ts"], {
      cwd: ROOT,
      env: { ...process.env, PGHOST: host, PGUSER: user, PGDATABASE: name },
      timeout: 50_000,
    });
    expect(stdout).toMatch(/^employees: 5,000 records sent; changes: 5,000 added/m);
    const { rows } = await pool.query(
      "SELECT convert_from(rest, 'UTF8') AS ids FROM saas_management.ledger_values WHERE key LIKE '%.ids'",
    );
    expect(rows.map(({ ids }) => ids.match(/^p\d+$/gm).length)).toEqual([5000]);
  });
});
