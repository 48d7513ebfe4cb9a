/** Extracts the parts of the table `people` that its arguments name, except those that are sealed. */
import type { Pool, PoolClient } from "pg";
import { openRun, PARTS } from "./run.js";

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

const ROWS = 1000;

const { pool, run, close } = await openRun();
const sealed = (await run.status()).filter(({ state }) => state === "sealed");
for (const part of PARTS.filter((name) => process.argv.includes(name))) {
  if (sealed.some(({ partition }) => partition === part)) continue;
  await inSnapshot(pool, async (database) => {
    const expectedCount = await openCursor(database, part);
    await run.extract("employees", part, people(database), { expectedCount });
  });
}
await close();

/** All that is read sees the table at one moment, so the number of rows must match. */
async function inSnapshot(pool: Pool, read: (database: PoolClient) => Promise<void>): Promise<void> {
  const database = await pool.connect();
  try {
    await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await read(database);
  } finally {
    // Closes the cursor, too.
    await database.query("ROLLBACK");
    database.release();
  }
}

async function openCursor(database: PoolClient, part: string): Promise<number> {
  const where = `abs(hashtext(id)::bigint) % ${PARTS.length} = ${Number(part)}`;
  const counted = await database.query<{ count: string }>(`SELECT count(*) FROM people WHERE ${where}`);
  await database.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT id, name, email FROM people WHERE ${where}`);
  return Number(counted.rows[0]?.count);
}

async function* people(database: PoolClient) {
  for (;;) {
    const { rows } = await database.query<Person>(`FETCH ${ROWS} FROM rows`);
    if (rows.length === 0) return;
    yield rows.map(({ id, name, email }) => ({ id, fullName: name, email }));
  }
}
