import { type Pool, query, StatementError } from "./pool.js";

/** The tables of a store, as quoted in SQL. */
export interface Tables {
  readonly values: string;
  readonly pieces: string;
}

/**
 * Codes of the errors that occur if another process creates the schema or a table at the same time:
 * unique_violation, duplicate_schema, duplicate_table, duplicate_object.
 */
const CREATED_MEANWHILE = new Set(["23505", "42P06", "42P07", "42710"]);
const MAX_ATTEMPTS = 5;

export function tablesOf(schema: string): Tables {
  const table = (name: string) => `${identifier(schema)}.${name}`;
  return { values: table("ledger_values"), pieces: table("ledger_pieces") };
}

/** Creates the schema and the tables only if missing, so a role without the right to create them can use them. */
export async function createTables(pool: Pool, schema: string, tables: Tables): Promise<void> {
  // One transaction creates everything, and fails if another process does so at the same time; then check again.
  for (let attempt = 1; !(await exist(pool, tables)); attempt += 1) {
    try {
      await query(pool, creation(identifier(schema), tables), []);
    } catch (error) {
      const isConflict = error instanceof StatementError && CREATED_MEANWHILE.has(error.code);
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function exist(pool: Pool, { values }: Tables): Promise<boolean> {
  return (await query(pool, "SELECT 1 WHERE to_regclass($1) IS NOT NULL", [values])).length > 0;
}

/**
 * Keys are compared byte by byte, regardless of the database's locale. In the pieces of a published value,
 * `unfinished_since` is null.
 */
function creation(schema: string, { values, pieces }: Tables): string {
  return `DO $create$ BEGIN
    IF to_regnamespace(${literal(schema)}) IS NULL THEN
      CREATE SCHEMA ${schema};
    END IF;
    CREATE TABLE ${values} (
      key text COLLATE "C" PRIMARY KEY,
      id uuid NOT NULL,
      pieces integer NOT NULL,
      rest bytea NOT NULL,
      stored_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE ${pieces} (
      id uuid,
      number integer,
      bytes bytea NOT NULL,
      unfinished_since timestamptz DEFAULT now(),
      PRIMARY KEY (id, number)
    );
  END $create$`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
