import { systemClock } from "../../core/clock.js";
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import { withCallSite } from "../../core/operation.js";
import { type KeysOf, readOptions, requireMethods } from "../../core/validate.js";
import type { BatchOptions } from "../batch/start.js";
import type { JudgeOptions } from "../guard/rules.js";
import { FileStore } from "../ledger/file-store.js";
import { directoryOf, STORE_METHODS } from "../ledger/ledger.js";
import type { Store } from "../ledger/store.js";
import type { CommitOptions } from "../run/options.js";
import { STAGING, type StagingParts } from "./parts.js";

/** Options of {@link SyncClient.run}. */
export interface RunOptions extends CommitOptions, BatchOptions, JudgeOptions {
  /**
   * Keeps what the connector writes until all of it was judged: then it is sent, and nothing before. If the process dies
   * while it is sent, the next run sends it, and does not call the connector. A held run that is approved is not read
   * again. The connector is called once, without restarts.
   * @default records are sent while they are read
   */
  readonly staging?: Staging | undefined;
}

/** Keeps what was extracted until it is committed. Made by {@link fileStaging} or {@link storeStaging}. */
export interface Staging {
  /** Where it is: the absolute path of its directory, or `store`. */
  readonly location: string;
  /**
   * Discards the runs that were opened before a time and never committed, and deletes what is left of those that were.
   * Runs whose commit has begun stay. Plans and receipts stay; they are small.
   * @param options `olderThanMs`: how long ago a run was opened at least, in milliseconds.
   * @throws {InvalidInputError} the option is invalid
   * @throws {ConfigurationError} the staging cannot be read
   */
  sweep(options: { readonly olderThanMs: number }): Promise<void>;
}

/** Options of a staging. */
export interface StagingOptions {
  /** Whether records stay after their commit. @default false */
  readonly keep?: boolean | undefined;
  /** The time for `sweep`, such as a `TestClock`. @default the system's */
  readonly clock?: { now(): number } | undefined;
}

const KEYS = { keep: true, clock: true } satisfies KeysOf<StagingOptions>;

/**
 * Keeps a staging in a directory, for the processes of one machine. Its files contain whole records: they have mode 0600, and
 * are deleted after the commit. The directory belongs to the connector, and the folder above it must be the user's own. The
 * file system must have hard links.
 * @param directory Created with mode 0700 if it does not exist. A relative path is resolved when this is called. By
 *   default `saas-management/staging` in `$XDG_STATE_HOME`, which is `~/.local/state` if it is not set.
 * @throws {ConfigurationError} the directory or an option is invalid
 */
export function fileStaging(directory?: string, options?: StagingOptions): Staging {
  const root = directoryOf("fileStaging", "staging", directory);
  const store = new FileStore(root);
  const clearUnfinished = (prefix: string) => store.clearUnfinished(prefix);
  return makeStaging("fileStaging", { store, location: root, clearUnfinished }, options);
}

/**
 * Keeps a staging in a store of your own, for processes that share no disk.
 * @throws {ConfigurationError} a method of the store is missing, or an option is invalid
 */
export function storeStaging(store: Store, options?: StagingOptions): Staging {
  requireMethods("The store of storeStaging", store ?? null, STORE_METHODS);
  return makeStaging("storeStaging", { store, location: "store" }, options);
}

/** @param name The function that was called, for messages. */
export function makeStaging(
  name: string,
  parts: Omit<StagingParts, "keep">,
  options: StagingOptions = {},
): Staging {
  const { keep = false, clock = systemClock } = readOptions(name, options, KEYS, ConfigurationError);
  if (typeof keep !== "boolean") throw new ConfigurationError("keep must be true or false.");
  requireMethods("clock", clock, ["now"]);
  const own: StagingParts = { ...parts, keep };
  const { location } = parts;
  const sweep = (given: Parameters<Staging["sweep"]>[0]) =>
    withCallSite(undefined, async () => {
      const { olderThanMs } = readOptions("sweep", given, { olderThanMs: true });
      if (!Number.isFinite(olderThanMs) || olderThanMs < 0)
        throw new InvalidInputError("olderThanMs must be a number of milliseconds, 0 or more.");
      const { sweepRuns } = await import("./runs.js");
      await sweepRuns(own, clock.now() - olderThanMs);
    });
  return Object.freeze(Object.defineProperty({ location, sweep }, STAGING, { value: own }));
}
