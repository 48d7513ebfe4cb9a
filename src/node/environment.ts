import { ConfigurationError } from "../core/errors/index.js";

/** A key, or what returns it for each attempt, and where it comes from, for messages. */
export interface KeySource {
  readonly source: string;
  readonly apiKey: string | (() => string | Promise<string>);
}

/** A variable of the environment; an empty one counts as not set. Pages have no environment. */
export function variable(name: string): string | undefined {
  return globalThis.process?.env?.[`SAAS_MANAGEMENT_${name}`] || undefined;
}

/**
 * The key of the environment: `SAAS_MANAGEMENT_API_KEY`, or the file that `SAAS_MANAGEMENT_API_KEY_FILE` names.
 * @throws {ConfigurationError} both are set, or the file has no key
 */
export function environmentKey(): KeySource | undefined {
  const key = variable("API_KEY");
  const path = variable("API_KEY_FILE");
  if (key !== undefined && path !== undefined)
    throw new ConfigurationError(
      "SAAS_MANAGEMENT_API_KEY and SAAS_MANAGEMENT_API_KEY_FILE are both set. Unset one of them.",
    );
  if (path !== undefined) return keyInFile(path, "SAAS_MANAGEMENT_API_KEY_FILE");
  return key === undefined ? undefined : { source: "SAAS_MANAGEMENT_API_KEY", apiKey: key };
}

/**
 * The key in a file, which is read again for each attempt, so that the key can be replaced.
 * @param setting What names the file.
 * @throws {ConfigurationError} it cannot be read now, or is empty
 */
export function keyInFile(path: string, setting: string): KeySource {
  const source = `${setting} ${path}`;
  const apiKey = () => {
    try {
      return keyIn(process.getBuiltinModule("node:fs").readFileSync(path, "utf8"), source);
    } catch (cause) {
      if (cause instanceof ConfigurationError) throw cause;
      throw new ConfigurationError(`${source} cannot be read.`, { cause });
    }
  };
  apiKey();
  return { source, apiKey };
}

/** @throws {ConfigurationError} the text is empty */
export function keyIn(text: string, source: string): string {
  const key = text.trim();
  if (key === "") throw new ConfigurationError(`${source} is empty.`);
  return key;
}
