/**
 * Stores a ledger in PostgreSQL, for connectors whose processes don't share a disk.
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
/** PostgreSQL truncates names that are longer than this. */
const MAX_NAME_BYTES = 63;

/**
 * Stores a ledger in PostgreSQL 12 or later, with its watermarks, approvals and journal. All processes and hosts that
 * use the same database and schema share the ledger.
 *
 * The first use creates the schema and the tables `ledger_values` and `ledger_pieces`. After that, the role needs
 * `USAGE` on the schema, and `SELECT`, `INSERT`, `UPDATE` and `DELETE` on both tables. Every step is a single
 * statement, so a pool of one connection is enough, a transaction pooler works, and no transaction stays open while a
 * run sends. If a process dies, the pieces of its unfinished values stay for a day.
 *
 * Connect the pool to the primary server, because a replica may lag behind, and don't turn `synchronous_commit` off.
 * Listen for `error` on the pool: `pg` emits this event when an idle connection breaks, and without a listener, the
 * event ends the process.
 * @param pool A `Pool` of `pg`, or another object with its `query(text, values)`. You close the pool yourself.
 * @param options `schema`: name of the schema; `saas_management` by default. `hashIds`: stores hashes instead of ids,
 *   as in `fileLedger`; false by default.
 * @throws {ConfigurationError} the pool has no `query` method, or an option is invalid
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
  // A dollar sign could end the quoted block that creates the tables.
  if (/[\0$]/.test(schema) || Buffer.byteLength(schema) > MAX_NAME_BYTES)
    throw new ConfigurationError(`schema must have at most ${MAX_NAME_BYTES} bytes and no dollar sign.`);
  checkRules("postgresLedger", { pool }, POOL, ConfigurationError);
  return makeLedger(`postgres schema ${schema}`, { store: new PostgresStore(pool, schema), hashIds });
}
