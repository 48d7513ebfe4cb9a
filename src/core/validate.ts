import { ConfigurationError, InvalidInputError, SaasManagementError } from "./errors/index.js";
import { type KnownNames, misspelledName, type NamesOf, unknownName } from "./option-names.js";

type Refusal = typeof ConfigurationError | typeof InvalidInputError;

/**
 * Runs the checks of some options. What reading them throws, as a getter or a proxy may, becomes the cause of an error
 * of ours.
 * @throws {ConfigurationError} they are no object, cannot be read, or the checks refuse them
 */
export function whileReading<T>(name: string, options: unknown, resolve: () => T): T {
  return guarded(name, options, ConfigurationError, resolve);
}

/**
 * A copy of the options of one call, each of which is read once.
 * @param advice What else to say of a name that is not known.
 * @throws {InvalidInputError} they are no object, cannot be read, or have a name that is not known
 */
export function readOptions<Options extends object>(
  name: string,
  options: Options,
  known: NamesOf<NoInfer<Options>>,
  advice?: string,
): Options {
  return guarded(name, options, InvalidInputError, () => {
    const copy = withInherited(options, known);
    const problem = unknownName(name, copy, known);
    if (problem !== undefined)
      throw new InvalidInputError(advice === undefined ? problem : `${problem} ${advice}`);
    return copy;
  });
}

/** A copy of options, with what they inherit of these names: an object of a class may have them as getters. */
export function withInherited<Options extends object>(options: Options, known: KnownNames): Options {
  const copy = { ...options };
  for (const name of Object.keys(known)) {
    if (Object.hasOwn(copy, name) || !Reflect.has(options, name)) continue;
    Reflect.set(copy, name, Reflect.get(options, name));
  }
  return copy;
}

/**
 * Runs the checks of the options of one call.
 * @throws {InvalidInputError} they are no object, cannot be read, or the checks refuse them
 */
export function checkingOptions<T>(name: string, options: object, check: () => T): T {
  return guarded(name, options, InvalidInputError, check);
}

function guarded<T>(name: string, options: unknown, Refused: Refusal, read: () => T): T {
  if (!isObject(options)) throw new Refused(`${name} must be an object.`);
  try {
    return read();
  } catch (cause) {
    if (cause instanceof SaasManagementError) throw cause;
    throw new Refused(`${name} cannot be read: reading one of them threw an exception.`, { cause });
  }
}

/**
 * Checks that options have no name that nobody reads: what is misspelled would be an option that does not hold.
 * @throws {InvalidInputError | ConfigurationError} naming what is not known
 */
export function requireKnownNames(
  name: string,
  given: object,
  known: KnownNames,
  Refused: Refusal = InvalidInputError,
): void {
  const problem = unknownName(name, given, known);
  if (problem !== undefined) throw new Refused(problem);
}

/**
 * Checks that no name is a slip of a known one. Other names may be there: they are somebody else's.
 * @throws {ConfigurationError} naming the one that was meant
 */
export function refuseMisspelled(name: string, given: object, known: KnownNames): void {
  const problem = misspelledName(name, given, known);
  if (problem !== undefined) throw new ConfigurationError(problem);
}

/** Checks that an option, where it is set, is an object and no list. */
export function requireObject(name: string, value: unknown): void {
  if (value === undefined || (isObject(value) && !Array.isArray(value))) return;
  throw new ConfigurationError(`${name} must be an object.`);
}

/** Checks that an option, where it is set, is a function. */
export function requireFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new ConfigurationError(`${name} must be a function.`);
}

/** Checks that an option, where it is set, is an object with these methods. */
export function requireMethods(name: string, value: unknown, methods: readonly string[]): void {
  if (value === undefined) return;
  if (isObject(value) && methods.every((method) => typeof Reflect.get(value, method) === "function")) return;
  throw new ConfigurationError(`${name} must be an object with the methods ${methods.join(", ")}.`);
}

/** True for what has properties, and is no function. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
