import { readFile } from "node:fs/promises";
import { postgresLedger } from "@saas-management/sdk/postgres";
import { describe, expect, test } from "vitest";
import { postgresServer, skipped, whySkipped } from "../../support/postgres.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

describe.skipIf(skipped)(`the SQL of the docs${whySkipped}`, () => {
  const server = postgresServer();
  const service = testService();

  // These lists fit without a piece of 1 MiB, or take several pieces, which may end within a character.
  test.each([100, 20_000, 60_000, 120_000])("lists all %i ids of a held run", async (count) => {
    const page = await readFile("docs/reference/run-and-guard.md", "utf8");
    const [, sql = ""] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
    const schema = server.schema();
    const all = ids(count, "an-ünusual-identifier-of-an-account-");
    const run = (sent: readonly string[]) =>
      service.runAccounts(sent, { ledger: postgresLedger(server.pool(), { schema }) });
    await run(all);
    const { reasons } = await heldBy(run(all.slice(0, 10)));
    const key = reasons[0]?.listedIn ?? "";
    const { rows } = await server
      .pool()
      .query(sql.replaceAll("saas_management", schema).replace("'…'", "$1"), [key]);
    expect(rows).toHaveLength(1);
    const lines = String(Object.values(rows[0])[0]).split("\n");
    expect(lines[0]).toMatch(/^\\head /);
    expect(lines.filter((line) => line !== "" && !line.startsWith("\\")).sort()).toEqual(
      all.slice(10).sort(),
    );
  });
});
