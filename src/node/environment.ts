import { ConfigurationError } from "../core/errors/index.js";

/** A key, or a function that returns a key for each attempt. Messages name the key's `source`. */
export interface KeySource {
  readonly source: string;
  readonly apiKey: string | (() => string | Promise<string>);
}

/** Reads an environment variable; an empty variable is treated as unset. Browsers have no environment. */
export function variable(name: string): string | undefined {
  return globalThis.process?.env?.[`SAAS_MANAGEMENT_${name}`] || undefined;
}

/**
 * Reads the key from the environment: from `SAAS_MANAGEMENT_API_KEY`, or the file that `SAAS_MANAGEMENT_API_KEY_FILE`
 * names.
 * @throws {ConfigurationError} both variables are set, or the file has no key
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
 * Reads the key from a file for each attempt, so that the key can be replaced.
 * @param setting The setting that names the file.
 * @throws {ConfigurationError} the file can't be read now, or is empty
 */
export function keyInFile(path: string, setting: string): KeySource {
  const source = `${setting} ${path}`;
  const apiKey = () => {
    try {
      return keyIn(process.getBuiltinModule("node:fs").readFileSync(path), source);
    } catch (cause) {
      if (cause instanceof ConfigurationError) throw cause;
      throw new ConfigurationError(`${source} cannot be read.`, { cause });
    }
  };
  apiKey();
  return { source, apiKey };
}

/** @throws {ConfigurationError} the file has no key, or contains something else */
export function keyIn(file: Uint8Array, source: string): string {
  const text = new TextDecoder().decode(file);
  const refuse = (problem: string) => new ConfigurationError(`${source} ${problem}`);
  // UTF-16 starts with a byte order mark, or has a zero byte in each letter of a key.
  if (/^\ufffd\ufffd|\0/.test(text))
    throw refuse("is in UTF-16, which some editors and PowerShell write. Save it as UTF-8.");
  const key = text.trim();
  if (key === "") throw refuse("is empty.");
  if (/^(export\s+)?[A-Za-z_]\w*\s*=\s*[^=\s]/m.test(key))
    throw refuse("holds NAME=value. Keep only the key in it, or load it as an environment file.");
  return key;
}
