import { ConfigurationError, InvalidInputError, SaasManagementError } from "./errors.js";

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
 * @throws {InvalidInputError} they are no object, or cannot be read
 */
export function readOptions<Options extends object>(name: string, options: Options): Options {
  return guarded(name, options, InvalidInputError, () => {
    const copy: Options = { ...options };
    return copy;
  });
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
