import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import {
  checkRules,
  FLAG,
  isObject,
  type OptionTable,
  readOptions,
  withMethods,
} from "../../core/validate.js";
import type { StoreLimits } from "./bounded-store.js";
import { FileStore } from "./file-store.js";
import { InstallationLedger, type InstallationScope, type LedgerParts } from "./installation-ledger.js";
import { memoryStore, type Store } from "./store.js";

/**
 * Remembers the ids of the last completed snapshots, held runs that wait for approval, and open batches of runs. Create
 * one with {@link fileLedger} or {@link storeLedger}.
 */
export interface Ledger {
  /** The absolute path of its directory, `postgres schema` followed by the schema's name, or `store`. */
  readonly location: string;
}

interface LedgerOptions {
  readonly hashIds?: boolean | undefined;
}

const PARTS = Symbol.for("@saas-management/sdk/ledger");
const OPTIONS = { hashIds: FLAG } satisfies OptionTable<LedgerOptions>;
const STORE = { store: { ...withMethods("putIfAbsent", "get", "list", "delete"), required: true } } as const;

/**
 * Keeps a ledger in a directory, with a folder for each installation. The directory belongs to the connector: it must
 * outlive the process, and the user must own its parent folder too. Don't share it between services over a network
 * drive; use {@link storeLedger} for that.
 *
 * The file system must have hard links. Files have mode 0600 and are never modified; links aren't followed. A run is
 * held if a file is damaged or belongs to another installation, and fails if another user owns a folder or everyone can
 * write to it. 1,000,000 ids take about 20 MiB.
 * @param directory Created with mode 0700 if it does not exist. A relative path is resolved when this is called. By
 *   default `saas-management/ledger` in `$XDG_STATE_HOME`, which is `~/.local/state` if it is not set.
 * @param options `hashIds`: whether hashes are stored instead of ids, for ids that are personal data; false by default.
 *   The ledger then keeps no lists of ids for people. A hash hides an id from a reader; it doesn't stop anyone from
 *   testing whether a known id is stored.
 * @throws {ConfigurationError} the directory or an option is invalid
 */
export function fileLedger(directory?: string, options?: { readonly hashIds?: boolean | undefined }): Ledger {
  const hashIds = readHashIds("fileLedger", options);
  const root = directoryOf(directory);
  return makeLedger(root, { store: new FileStore(root), hashIds, directory: root });
}

/**
 * Keeps a ledger in your own store, for connectors whose processes share no disk.
 * @param options `hashIds` as for {@link fileLedger}.
 * @throws {ConfigurationError} a method of the store is missing, or an option is invalid
 */
export function storeLedger(store: Store, options?: { readonly hashIds?: boolean | undefined }): Ledger {
  const hashIds = readHashIds("storeLedger", options);
  checkRules("storeLedger", { store }, STORE, ConfigurationError);
  return makeLedger("store", { store, hashIds });
}

/** A ledger that lives as long as the process, for tests. */
export function memoryLedger(): Ledger {
  return makeLedger("memory", { store: memoryStore(), hashIds: false });
}

export function makeLedger(location: string, parts: Omit<LedgerParts, "location">): Ledger {
  return Object.freeze(Object.defineProperty({ location }, PARTS, { value: { location, ...parts } }));
}

/** @throws {InvalidInputError} it isn't a ledger */
export function openLedger(
  ledger: unknown,
  scope: InstallationScope,
  limits?: StoreLimits,
): InstallationLedger {
  return new InstallationLedger(partsOf(ledger), scope, limits);
}

/**
 * Opens the ledger of each installation that has a completed or held run, because only the values of such runs name
 * their installation.
 */
export async function openAll(ledger: unknown): Promise<readonly InstallationLedger[]> {
  const parts = partsOf(ledger);
  const unnamed = new InstallationLedger(parts, { endpoint: "", installationId: "" });
  const keys = (await unnamed.store.keys("")).filter((key) => /\/state\.\d+$/.test(key));
  const opened = new Map<string, InstallationLedger>();
  const problems = new Map<string, unknown>();
  for (const key of keys) {
    const folder = key.slice(0, key.indexOf("/"));
    if (opened.has(folder)) continue;
    try {
      const { endpoint, installationId } = (await unnamed.read(key)) ?? {};
      if (typeof endpoint === "string" && typeof installationId === "string")
        opened.set(folder, new InstallationLedger(parts, { endpoint, installationId }));
    } catch (error) {
      problems.set(folder, error);
    }
  }
  for (const [folder, problem] of problems) if (!opened.has(folder)) throw problem;
  return [...opened.values()];
}

function partsOf(ledger: unknown): LedgerParts {
  const parts: unknown = isObject(ledger) ? Reflect.get(ledger, PARTS) : undefined;
  if (isParts(parts)) return parts;
  throw new InvalidInputError(
    'ledger must be fileLedger(directory), storeLedger(store), postgresLedger(pool) or "none". Without a ledger, nothing stops a truncated snapshot from removing records.',
  );
}

function isParts(value: unknown): value is LedgerParts {
  return isObject(value) && isObject(Reflect.get(value, "store"));
}

function readHashIds(name: string, options: LedgerOptions | undefined): boolean {
  return readOptions(name, options ?? {}, OPTIONS, ConfigurationError).hashIds ?? false;
}

/** Returns the absolute path of a directory, or of the default one. @throws {ConfigurationError} it is not a path */
function directoryOf(directory: string | undefined): string {
  const path = directory ?? join(stateDirectory(), "saas-management", "ledger");
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw new ConfigurationError("fileLedger needs the path of a directory.");
  return resolve(path);
}

/** The folder where a user's programs keep their state. @throws {ConfigurationError} the user has no home */
function stateDirectory(): string {
  const { HOME: home, XDG_STATE_HOME: state = "" } = process.env;
  if (isAbsolute(state)) return state;
  try {
    const parent = join(homedir(), ".local", "state");
    if (isAbsolute(parent)) return parent;
  } catch {
    // Node reads the user's passwd entry, which may be missing, for example in a container.
  }
  throw new ConfigurationError(
    `HOME is ${home === undefined ? "not set" : "empty"}: set HOME or XDG_STATE_HOME, or name the directory of the ledger.`,
  );
}
