import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { Ledger, LedgerScope } from "./ledger.js";
import type { LedgerDirectory } from "./ledger-directory.js";

/** Options of {@link fileLedger}. */
export interface FileLedgerOptions {
  /**
   * Whether hashes are stored instead of ids, for ids that are personal data. Lists of removals then show hashes too. A
   * hash hides an id from a reader; it does not stop anyone from testing whether a known id is stored.
   * @default false
   */
  readonly hashIds?: boolean | undefined;
}

const KEYS = { hashIds: true } satisfies KeysOf<FileLedgerOptions>;

/** A ledger in a directory. */
export interface FileLedger extends Ledger {
  /** The directory, as an absolute path. */
  readonly directory: string;
}

/** Bytes of a hash: 22 characters in base64. */
const HASH_BYTES = 16;

/**
 * Stores the ids of the last completed snapshots in a directory, with a subdirectory per installation. The directory
 * belongs to the connector: it must outlive the process, and the directory above it must be the user's own too. Do not
 * share it between services over a network drive.
 *
 * Files have mode 0600, are replaced atomically, and links are not followed. A damaged file, a file of another
 * installation, or a subdirectory that another user owns or everyone may write to holds the run. 1,000,000 ids take
 * about 20 MiB.
 * @param directory Created with mode 0700 if it does not exist. A relative path is resolved when this is called.
 * @throws {ConfigurationError} the directory or an option is invalid
 */
export function fileLedger(directory: string, options: FileLedgerOptions = {}): FileLedger {
  const { hashIds = false } = readOptions("fileLedger", options, KEYS, ConfigurationError);
  if (typeof directory !== "string" || directory === "" || directory.includes("\0"))
    throw new ConfigurationError("fileLedger needs the path of a directory.");
  if (typeof hashIds !== "boolean") throw new ConfigurationError("hashIds must be true or false.");
  const keyOf = hashIds ? hashId : undefined;
  const root = resolve(directory);
  let files: Promise<LedgerDirectory> | undefined;
  const open = () => {
    files ??= import("./ledger-directory.js").then(({ LedgerDirectory }) => new LedgerDirectory(root, keyOf));
    return files;
  };
  return {
    directory: root,
    keyOf,
    known: async (scope) => (await open()).known(scope),
    draft: async (scope) => (await open()).draft(scope),
    hold: async (scope, approval) => (await open()).hold(scope, approval),
    held: async (scope) => (await open()).held(scope),
    release: async (scope) => (await open()).release(scope),
  };
}

/** Includes the scope, so that equal ids of two installations have different hashes. */
function hashId({ endpoint, installationId, collection }: LedgerScope, id: Uint8Array): Uint8Array {
  const hash = createHash("sha256")
    .update(JSON.stringify([endpoint, installationId, collection]))
    .update(id)
    .digest();
  return new TextEncoder().encode(hash.subarray(0, HASH_BYTES).toString("base64url"));
}
