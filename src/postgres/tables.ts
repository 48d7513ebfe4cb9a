import { type Pool, query, StatementError } from "./pool.js";

/** The tables of a store, as SQL names them. */
export interface Tables {
  readonly values: string;
  readonly pieces: string;
  readonly drafts: string;
}

/** Another process has created the schema or a table meanwhile: unique_violation, duplicate_schema, duplicate_table, duplicate_object. */
const CREATED_MEANWHILE = new Set(["23505", "42P06", "42P07", "42710"]);
const MAX_ATTEMPTS = 5;

/** @param name Begins the names of the tables. */
export function tablesOf(schema: string, name: "ledger" | "staging"): Tables {
  const table = (suffix: string) => `${identifier(schema)}.${identifier(`${name}_${suffix}`)}`;
  return { values: table("values"), pieces: table("pieces"), drafts: table("drafts") };
}

/** Creates the schema and the tables, unless they exist: a role without the right to create them may use them. */
export async function createTables(pool: Pool, schema: string, tables: Tables): Promise<void> {
  // One transaction creates all of them. An error tells of other processes what a check before could not.
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

/** Keys are compared by their bytes, whatever the locale of the database is. Large values are compressed already. */
function creation(schema: string, { values, pieces, drafts }: Tables): string {
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
      PRIMARY KEY (id, number)
    );
    ALTER TABLE ${pieces} ALTER bytes SET STORAGE EXTERNAL;
    CREATE TABLE ${drafts} (
      id uuid PRIMARY KEY,
      key text COLLATE "C" NOT NULL,
      touched_at timestamptz NOT NULL DEFAULT now()
    );
  END $create$`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
