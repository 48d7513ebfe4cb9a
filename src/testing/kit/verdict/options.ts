import { InvalidInputError } from "../../../core/errors/index.js";
import { type KeysOf, readOptions } from "../../../core/validate.js";
import type { GuardOptions } from "../../../sync/guard/rules.js";

/** Options of {@link testConnector} and {@link describeConnector}. */
export interface KitOptions {
  /**
   * Path or URL of a recording that {@link recordVendor} made. The faults are then the vendor's, and nothing is asked over
   * the network.
   * @default none: the connector reads its real source, and the faults strike the records that it writes
   */
  readonly cassette?: string | URL | undefined;
  /** An integer of 0 or more: another one makes another choice of pages, items and ids. @default 1 */
  readonly seed?: number | undefined;
  /** Names of the faults to run. @default all */
  readonly only?: readonly string[] | undefined;
  /** The guard of the runs, as `run` takes it. @default the default rules */
  readonly guard?: GuardOptions | false | undefined;
}

const KIT_KEYS = { cassette: true, seed: true, only: true, guard: true } satisfies KeysOf<KitOptions>;

/** Options of the kit with defaults filled in. */
export interface ResolvedKitOptions extends Omit<KitOptions, "seed"> {
  readonly seed: number;
}

/** @throws {InvalidInputError} an option is unknown or has a wrong type */
export function readKitOptions(caller: string, options: KitOptions): ResolvedKitOptions {
  const { seed = 1, ...given } = readOptions(caller, options, KIT_KEYS);
  if (!Number.isInteger(seed) || seed < 0)
    throw new InvalidInputError(`${caller}: seed must be an integer of 0 or more.`);
  const cassette: unknown = given.cassette;
  if (
    cassette !== undefined &&
    (typeof cassette !== "string" || cassette === "") &&
    !(cassette instanceof URL)
  )
    throw new InvalidInputError(`${caller}: cassette must be the path or the URL of a file.`);
  const only: unknown = given.only;
  if (only !== undefined && !(Array.isArray(only) && only.every((name) => typeof name === "string")))
    throw new InvalidInputError(`${caller}: only must be an array of names of faults.`);
  return { ...given, seed };
}
