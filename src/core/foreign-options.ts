import { ConfigurationError } from "./errors/index.js";

/**
 * Refuses options of another client that the caller would miss here: passed over in silence, requests would go around a
 * proxy, trust other authorities or be tuned otherwise than was said. The types refuse them where options are written
 * out; this is for callers without types, and for one configuration that is spread into several clients.
 * @param foreign Why each has no effect, and what to do, as the rest of a sentence that begins with its name.
 * @throws {ConfigurationError} one of them is set
 */
export function refuseForeign(options: object, foreign: Readonly<Record<string, string>>): void {
  for (const [name, why] of Object.entries(foreign)) {
    if (Reflect.get(options, name) !== undefined) throw new ConfigurationError(`${name} ${why}`);
  }
}
