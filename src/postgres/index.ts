/**
 * PostgreSQL as the store of a ledger, for connectors whose processes share no disk.
 *
 * @packageDocumentation
 */
import { ConfigurationError } from "../core/errors/index.js";
import { checkRules, FLAG, type OptionTable, readOptions, TEXT, withMethods } from "../core/validate.js";
import { type Ledger, makeLedger } from "../runs/ledger/ledger.js";
import type { Pool } from "./pool.js";
import { PostgresStore } from "./postgres-store.js";

export type { Pool } from "./pool.js";

type LedgerOptions = NonNullable<Parameters<typeof postgresLedger>[1]>;

const LEDGER_OPTIONS = {
  schema: { ...TEXT, expected: "the name of a schema" },
  hashIds: FLAG,
} satisfies OptionTable<LedgerOptions>;
const POOL = { pool: { ...withMethods("query"), required: true } } as const;
const DEFAULT_SCHEMA = "saas_management";
/** PostgreSQL cuts longer names. */
const MAX_NAME_BYTES = 63;

/**
 * Keeps a ledger in tables of PostgreSQL 12 or later, with its watermarks, approvals and journal: all processes and hosts
 * with the same database and schema share it.
 *
 * The first use creates the schema and the tables `ledger_values` and `ledger_pieces`; after that, a role needs `USAGE` on
 * the schema, and `SELECT`, `INSERT`, `UPDATE` and `DELETE` on both tables. Every step is one statement: a pool of one
 * connection is enough, a transaction pooler may be in between, and no transaction is open while a run sends. A process
 * that dies leaves the pieces of its unfinished values for a day.
 *
 * The pool must lead to the primary server: a replica may lag behind. `synchronous_commit` must not be off. `pg` emits
 * `error` on the pool when an idle connection breaks, and that ends the process if nobody listens.
 * @param pool A `Pool` of `pg`, or another object with its `query(text, values)`. It stays yours to end.
 * @param options `schema`: its name, `saas_management` by default. `hashIds`: whether hashes are stored instead of ids,
 *   as for `fileLedger`; false by default.
 * @throws {ConfigurationError} the pool has no method `query`, or an option is invalid
 */
export function postgresLedger(
  pool: Pool,
  options?: { readonly schema?: string | undefined; readonly hashIds?: boolean | undefined },
): Ledger {
  const given: LedgerOptions = options ?? {};
  const { schema = DEFAULT_SCHEMA, hashIds = false } = readOptions(
    "postgresLedger",
    given,
    LEDGER_OPTIONS,
    ConfigurationError,
  );
  // A dollar sign could end the statement that creates the tables.
  if (/[\0$]/.test(schema) || Buffer.byteLength(schema) > MAX_NAME_BYTES)
    throw new ConfigurationError(`schema must have at most ${MAX_NAME_BYTES} bytes and no dollar sign.`);
  checkRules("postgresLedger", { pool }, POOL, ConfigurationError);
  return makeLedger(`postgres schema ${schema}`, { store: new PostgresStore(pool, schema), hashIds });
}
