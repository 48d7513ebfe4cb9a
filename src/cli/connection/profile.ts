import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import { ConfigurationError } from "../../core/errors/index.js";

const NAMES = ["BASE_URL", "SYNC_URL", "API_KEY", "INSTALLATION_ID"] as const;

/** The variables of the environment, by their names without `SAAS_MANAGEMENT_`. */
export type Settings = { readonly [Name in (typeof NAMES)[number]]?: string | undefined };

const OTHERS_MAY_READ = 0o077;

/** Reads settings out of variables; an empty one counts as not set. */
export function settingsOf(variables: Readonly<Record<string, string | undefined>>): Settings {
  return Object.fromEntries(NAMES.map((name) => [name, variables[`SAAS_MANAGEMENT_${name}`] || undefined]));
}

/** Path of a profile. @throws {ConfigurationError} its name is not valid */
export function profilePath(name: string): string {
  if (!/^\w[\w.-]*$/.test(name))
    throw new ConfigurationError("--profile must be a name of letters, digits, dots, _ and -.");
  const own = process.env["XDG_CONFIG_HOME"] ?? "";
  const parent = isAbsolute(own) ? own : join(homedir(), ".config");
  return join(parent, "saas-management", `${name}.env`);
}

/**
 * Reads a profile: an environment file that only its owner may read.
 * @returns undefined if there is none
 * @throws {ConfigurationError} others may read it, or it cannot be read
 */
export async function readProfile(name: string): Promise<Settings | undefined> {
  const path = profilePath(name);
  try {
    const file = await open(path);
    try {
      const { mode, uid } = await file.stat();
      const user = process.geteuid?.();
      if (user !== undefined && uid !== user)
        throw new ConfigurationError(`The profile ${path} belongs to another user.`);
      if (user !== undefined && (mode & OTHERS_MAY_READ) !== 0)
        throw new ConfigurationError(
          `Other users may read or change the profile ${path}. Run chmod 600 on it, and replace its key.`,
        );
      return settingsOf(parseEnv(await file.readFile("utf8")));
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause;
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new ConfigurationError(`The profile ${path} cannot be read.`, { cause });
  }
}
