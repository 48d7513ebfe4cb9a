/**
 * Pushes two tables of PostgreSQL: all people, and their sign-ins since the last run. The ledger is in the same
 * database, so runs may start on any machine.
 *
 *   npm install pg && cp node_modules/@saas-management/sdk/examples/postgres.mts .
 *   PGHOST=… PGDATABASE=… npx saas-management run postgres.mts --first-run
 *
 * CREATE TABLE people (id text PRIMARY KEY, full_name text NOT NULL, email text, department text, left_at timestamptz);
 * CREATE TABLE sign_ins (id bigint PRIMARY KEY, person_id text NOT NULL, product text, at timestamptz NOT NULL);
 */
import { defineConnector, type RunOptions } from "@saas-management/sdk";
import { postgresLedger } from "@saas-management/sdk/postgres";
import pg from "pg";

interface Person {
  readonly id: string;
  readonly full_name: string;
  readonly email: string | null;
  readonly department: string | null;
  readonly left_at: Date | null;
}

interface SignIn {
  readonly id: string;
  readonly person_id: string;
  readonly product: string | null;
  readonly at: Date;
}

// One connection reads, the other keeps the ledger.
const pool = new pg.Pool({ max: 2, allowExitOnIdle: true });
pool.on("error", () => {}); // Without a listener, a broken idle connection would end the process.

/** Options that `saas-management run` passes to the run. */
export const options: RunOptions = { ledger: postgresLedger(pool) };

export const connector = defineConnector({
  snapshots: ["employees"],
  async run(batch, { watermark, advance }) {
    const database = await pool.connect();
    let failure: Error | undefined;
    try {
      // All queries see the data of one moment, however long they take.
      await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      // If a policy hides rows from this user, PostgreSQL now refuses to read instead of sending fewer.
      await database.query("SET LOCAL row_security = off");
      const { rows } = await database.query<{ people: string; now: Date }>(
        "SELECT count(*) AS people, now() FROM people",
      );
      const [{ people, now } = { people: "", now: new Date() }] = rows;
      const employees = read(database, "SELECT * FROM people", [], (person: Person) => ({
        id: person.id,
        fullName: person.full_name,
        email: person.email?.toLowerCase(),
        deleted: person.left_at !== null,
        deletionTime: person.left_at,
        attributes: { department: person.department ?? "" },
      }));
      await batch.write("employees", employees, { expectedCount: Number(people) });

      // Starts an hour early, for rows that were committed late: the service ignores events whose ids it has.
      const recent = "SELECT * FROM sign_ins WHERE at >= $1::timestamptz - interval '1 hour'";
      const usage = read(database, recent, [watermark("usage") ?? "-infinity"], (signIn: SignIn) => ({
        id: signIn.id,
        sourceActorId: signIn.person_id,
        externalProductName: signIn.product,
        lastActivity: signIn.at,
      }));
      await batch.write("usage", usage);
      advance("usage", now.toISOString());
      await database.query("ROLLBACK");
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      // After a failure, the connection may still be busy, so it's closed.
      database.release(failure);
    }
  },
});

/** Reads the records of a query, 1,000 rows at a time. A connection runs one query at a time. */
async function* read<Row extends object, R>(
  database: pg.PoolClient,
  query: string,
  values: readonly string[],
  map: (row: Row) => R,
) {
  await database.query(`DECLARE source NO SCROLL CURSOR FOR ${query}`, [...values]);
  for (;;) {
    const { rows } = await database.query<Row>("FETCH 1000 FROM source");
    if (rows.length === 0) break;
    yield rows.map(map);
  }
  await database.query("CLOSE source");
}
