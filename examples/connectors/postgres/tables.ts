import type { Pool, PoolClient } from "pg";

const ROWS = 1000;

/** A table that is being read. */
export interface Table<Row> {
  readonly count: number;
  /** Its records, 1,000 rows at a time. */
  rows<R>(map: (row: Row) => R): AsyncIterable<readonly R[]>;
}

/** All that is read sees the database at one moment, however long it takes. */
export async function inSnapshot(
  pool: Pool,
  schema: string,
  read: (database: PoolClient) => Promise<void>,
): Promise<void> {
  const database = await pool.connect();
  let failure: Error | undefined;
  try {
    await database.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await database.query("SELECT set_config('search_path', $1, true)", [schema]);
    // Where a policy hides rows from this user, PostgreSQL then refuses to read instead of sending fewer.
    await database.query("SET LOCAL row_security = off");
    await read(database);
    await database.query("ROLLBACK");
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // After a failure nobody knows what the connection is doing, so it is closed.
    database.release(failure);
  }
}

/** Counts the rows and opens a cursor. One table at a time. */
export async function readTable<Row extends object>(
  database: PoolClient,
  table: string,
  columns: readonly (keyof Row & string)[],
): Promise<Table<Row>> {
  const name = database.escapeIdentifier(table);
  const { rows: counted } = await database.query<{ count: string }>(`SELECT count(*) FROM ${name}`);
  const selected = columns.map((column) => database.escapeIdentifier(column)).join(", ");
  await database.query(`DECLARE source NO SCROLL CURSOR FOR SELECT ${selected} FROM ${name}`);
  return {
    count: Number(counted[0]?.count),
    async *rows(map) {
      for (;;) {
        const { rows } = await database.query<Row>(`FETCH ${ROWS} FROM source`);
        if (rows.length === 0) break;
        yield rows.map(map);
      }
      await database.query("CLOSE source");
    },
  };
}
