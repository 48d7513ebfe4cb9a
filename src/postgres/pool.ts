import { escapeControls } from "../core/redact.js";
import { isObject } from "../core/validate.js";

/** What is used of a pool of `pg`. Each call is one statement of its own; no connection is held between calls. */
export interface Pool {
  /**
   * Sends one statement. Columns of type `bytea` come as a Buffer or Uint8Array.
   * @throws the statement failed, or there is no connection
   */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A conflict of transactions or a deadlock: the statement had no effect, and is sent again. */
const CONFLICTS = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 20;

/**
 * Classes of SQLSTATE whose messages name objects, roles and settings: connections, authorization, syntax and access,
 * resources, states of the server. Messages of other classes may quote values.
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
  throw new Error("The pool must return bytea as a Buffer, which it does without a type parser of its own.");
}

export function readText(row: object, column: string): string {
  return String(Reflect.get(row, column));
}

/** Connections, resources, and a server that starts or stops. */
const PASSING = new Set(["08", "53", "57"]);

/** Why a statement failed, without the error of the pool: its `detail` and `where` have values of the statement. */
export class StatementError extends Error {
  /** SQLSTATE, or a code of Node; empty if there is none. */
  readonly code: string;
  /** Whether the server may answer later: it could not be asked, or was not able to. */
  readonly retryable: boolean;

  constructor(error: unknown) {
    const code = codeOf(error);
    const message = error instanceof Error ? escapeControls(error.message) : "";
    const isOfServer = /^[0-9A-Z]{5}$/.test(code);
    const told = TELLING.has(code.slice(0, 2)) ? `: ${message}` : "";
    super(
      isOfServer
        ? `PostgreSQL refused a statement (SQLSTATE ${code})${told}.`
        : `PostgreSQL could not be asked: ${message || code || "no reason is known"}.`,
    );
    this.code = code;
    this.retryable = !isOfServer || PASSING.has(code.slice(0, 2));
  }
}

function codeOf(error: unknown): string {
  const code: unknown = isObject(error) ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : "";
}
