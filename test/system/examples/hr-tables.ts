import type { Pool } from "pg";

/** Tables of an HR system: 1,200 people, one in 50 of whom has left, in 20 teams. */
export async function createHrTables(pool: Pool, schema: string): Promise<void> {
  await pool.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.people (
      id text PRIMARY KEY, full_name text NOT NULL, email text, department text, job_title text,
      manager_id text REFERENCES ${schema}.people, left_at timestamptz
    );
    CREATE TABLE ${schema}.teams (id text PRIMARY KEY, name text NOT NULL, email text);
    CREATE TABLE ${schema}.team_members (
      team_id text REFERENCES ${schema}.teams, person_id text REFERENCES ${schema}.people, role text,
      PRIMARY KEY (team_id, person_id)
    );
    INSERT INTO ${schema}.people SELECT
      'p' || n, 'Person ' || n, 'Person.' || n || '@polarvik.example', 'Department ' || n % 12,
      CASE n % 3 WHEN 0 THEN 'Engineer' WHEN 1 THEN 'Technician' END,
      CASE WHEN n > 1 THEN 'p' || n / 10 + 1 END,
      CASE WHEN n % 50 = 0 THEN timestamptz '2026-03-31 18:00:00Z' END
    FROM generate_series(1, 1200) n;
    INSERT INTO ${schema}.teams SELECT 't' || n, 'Team ' || n, 'team' || n || '@polarvik.example' FROM generate_series(1, 20) n;
    INSERT INTO ${schema}.team_members SELECT
      't' || n % 20 + 1, 'p' || n, CASE WHEN n % 60 = 0 THEN 'lead' ELSE 'member' END
    FROM generate_series(1, 1200) n;`);
}
