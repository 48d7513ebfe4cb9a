import {
  isPlainObject,
  isText,
  listOf,
  type OptionTable,
  readOptions,
  wholeNumber,
} from "../../../core/validate.js";
import type { GuardOptions } from "../../../runs/guard/rules.js";

/** Options of {@link testConnector} and {@link connectorTests}. */
export interface KitOptions {
  /**
   * Path or URL of a recording made by {@link recordVendor}. The faults then change the vendor's answers, and nothing
   * goes over the network.
   * @default none: the connector reads its real source, and the faults change the records that it writes
   */
  readonly cassette?: string | URL | undefined;
  /** An integer of 0 or more. A different seed picks different pages, items and ids. @default 1 */
  readonly seed?: number | undefined;
  /** Names of the faults to run. @default all */
  readonly only?: readonly string[] | undefined;
  /**
   * Faults to skip, by name, each with a reason that appears in the report: `{ "twin-id-in-case": "ids are
   * case-sensitive here" }`.
   * @default none
   */
  readonly except?: Readonly<Record<string, string>> | undefined;
  /** Guard options for the runs, as in `run`. @default the default rules */
  readonly guard?: GuardOptions | false | undefined;
}

const KIT_OPTIONS = {
  cassette: {
    expected: "the path or the URL of a file",
    fits: (value) => (isText(value) && value !== "") || value instanceof URL,
  },
  seed: wholeNumber(0),
  only: { expected: "an array of fault names", fits: listOf(isText) },
  except: { expected: "an object of reasons by fault name", fits: isReasons },
  guard: true,
} satisfies OptionTable<KitOptions>;

function isReasons(value: unknown): boolean {
  return (
    isPlainObject(value) && Object.values(value).every((reason) => isText(reason) && reason.trim() !== "")
  );
}

/** Options of the kit with defaults filled in. */
export interface ResolvedKitOptions extends Omit<KitOptions, "seed" | "except"> {
  readonly seed: number;
  readonly except: Readonly<Record<string, string>>;
}

/** @throws {InvalidInputError} an option is unknown or has a wrong type */
export function readKitOptions(caller: string, options: KitOptions): ResolvedKitOptions {
  const { seed = 1, except = {}, ...given } = readOptions(caller, options, KIT_OPTIONS);
  return { ...given, seed, except };
}
