import type { Pool } from "pg";

/** Tables of an HR system: 1,200 people (one in 50 has left), and a day of their sign-ins. */
export async function createHrTables(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE TABLE people (id text PRIMARY KEY, full_name text NOT NULL, email text, department text, left_at timestamptz);
    CREATE TABLE sign_ins (id bigint PRIMARY KEY, person_id text NOT NULL, product text, at timestamptz NOT NULL);
    INSERT INTO people SELECT
      'p' || n, 'Person ' || n, 'Person.' || n || '@polarvik.example', 'Department ' || n % 12,
      CASE WHEN n % 50 = 0 THEN timestamptz '2026-03-31 18:00:00Z' END
    FROM generate_series(1, 1200) n;
    INSERT INTO sign_ins SELECT n, 'p' || n % 1200 + 1, 'Brambleboard', now() - interval '1 day' * (n % 20 + 1)
    FROM generate_series(1, 2000) n;`);
}
