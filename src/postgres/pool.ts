import { escapeControls } from "../core/redact.js";
import { isObject } from "../core/validate.js";

/**
 * The part of a `pg` pool that the ledger uses. Each call is a single statement, and no connection is held between
 * calls.
 */
export interface Pool {
  /**
   * Sends one statement. Returns `bytea` columns as a Buffer or Uint8Array.
   * @throws the statement failed, or there is no connection
   */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** After a serialization failure or a deadlock, the statement had no effect, so it's sent again. */
const CONFLICTS = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 20;

/**
 * SQLSTATE classes whose messages only name objects, roles and settings: connections, authorization, syntax and access,
 * resources, server state. Messages of other classes may quote values.
 */
const TELLING = new Set(["08", "25", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58"]);

export async function query(pool: Pool, text: string, values: unknown[]): Promise<readonly object[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { rows } = await pool.query(text, values);
      return rows.filter(isObject);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.has(codeOf(error))) throw new StatementError(error);
    }
  }
}

export function readBytes(row: object, column: string): Uint8Array {
  const value: unknown = Reflect.get(row, column);
  if (value instanceof Uint8Array) return value;
  throw new Error("The pool must return bytea as a Buffer. Remove your own type parser for bytea.");
}

export function readText(row: object, column: string): string {
  return String(Reflect.get(row, column));
}

/** SQLSTATE classes of temporary errors: connections, resources, and a server that is starting or stopping. */
const PASSING = new Set(["08", "53", "57"]);

/**
 * Why a statement failed. Doesn't keep the pool's error, whose `detail` and `where` contain values of the statement.
 */
export class StatementError extends Error {
  /** SQLSTATE, or a Node error code; empty if there is none. */
  readonly code: string;
  /** Whether trying later may help, because the server couldn't be reached or was temporarily unable to answer. */
  readonly retryable: boolean;

  constructor(error: unknown) {
    const code = codeOf(error);
    const message = error instanceof Error ? escapeControls(error.message) : "";
    const isOfServer = /^[0-9A-Z]{5}$/.test(code);
    const reason = TELLING.has(code.slice(0, 2)) ? `: ${message}` : "";
    super(
      isOfServer
        ? `PostgreSQL refused a statement (SQLSTATE ${code})${reason}.`
        : `A query to PostgreSQL failed: ${message || code || "no reason was given"}.`,
    );
    this.code = code;
    this.retryable = !isOfServer || PASSING.has(code.slice(0, 2));
  }
}

function codeOf(error: unknown): string {
  const code: unknown = isObject(error) ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : "";
}
