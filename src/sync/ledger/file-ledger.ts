import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";
import { Lazy } from "../../core/lazy.js";
import type { KeysOf } from "../../core/validate.js";
import { rejectUnknownKeys, whileReading } from "../../core/validate.js";
import type { Ledger, LedgerScope } from "./ledger.js";

/** Options of {@link fileLedger}. */
export interface FileLedgerOptions {
  /**
   * Whether hashes are kept in place of ids: for ids that are personal data. Lists of removals then show hashes too. A
   * hash hides an id from a reader; it does not keep somebody from trying whether a known id is among them.
   * @default false
   */
  readonly hashIds?: boolean | undefined;
}

const NAMES = { hashIds: true } satisfies KeysOf<FileLedgerOptions>;

/** A ledger in a directory. */
export interface FileLedger extends Ledger {
  /** The directory, as an absolute path. */
  readonly directory: string;
}

/** Bytes of a hash: 22 letters in base64. */
const HASH_BYTES = 16;

/**
 * Keeps the ids of the last completed snapshots in a directory, one installation a subdirectory. The directory belongs
 * to the connector: it must outlive the process, and no two services should share it by a network drive without locks.
 *
 * Files have mode 0600 and a checksum; they are replaced at once or not at all, and links are not followed. A file that
 * is damaged, belongs to something else or another user, or may be written by everybody, holds the run. 1,000,000 ids
 * take about 20 MiB.
 * @param directory Made where it is not there, with mode 0700. A relative path is of the directory in which the process
 *   is when this is called.
 * @throws {ConfigurationError} no directory, or an option is wrong
 */
export function fileLedger(directory: string, options: FileLedgerOptions = {}): FileLedger {
  const place = "The options of fileLedger";
  const given = whileReading(place, options, () => ({ ...options }));
  rejectUnknownKeys(place, given, NAMES, ConfigurationError);
  const { hashIds = false } = given;
  if (typeof directory !== "string" || directory === "" || directory.includes("\0"))
    throw new ConfigurationError("fileLedger needs the path of a directory.");
  if (typeof hashIds !== "boolean") throw new ConfigurationError("hashIds must be true or false.");
  const keyOf = hashIds ? hashOf : undefined;
  // Another directory for each place that the process goes to would be another ledger, which knows nothing.
  const root = resolve(directory);
  const files = new Lazy("What fileLedger needs", async () => {
    const { LedgerDirectory } = await import("./ledger-directory.js");
    return new LedgerDirectory(root, keyOf);
  });
  return {
    directory: root,
    keyOf,
    known: async (scope) => (await files.load()).known(scope),
    draft: async (scope) => (await files.load()).draft(scope),
    hold: async (scope, approval) => (await files.load()).hold(scope, approval),
    held: async (scope) => (await files.load()).held(scope),
    release: async (scope) => (await files.load()).release(scope),
  };
}

/** Different for each scope, so that equal ids of two installations cannot be told to be equal. */
function hashOf({ endpoint, installationId, collection }: LedgerScope, id: Uint8Array): Uint8Array {
  const hash = createHash("sha256")
    .update(JSON.stringify([endpoint, installationId, collection]))
    .update(id)
    .digest();
  return new TextEncoder().encode(hash.subarray(0, HASH_BYTES).toString("base64url"));
}
