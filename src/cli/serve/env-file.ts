import { readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { UsageError } from "../options.js";
import { messageOf } from "../problem.js";

/** The settings that a client needs to reach the server. */
export interface ServerSettings {
  readonly baseUrl: string;
  readonly syncUrl: string;
  readonly apiKey: string;
  readonly installationId: string;
}

/** Returns a valid environment file. */
export function envFileOf({ baseUrl, syncUrl, apiKey, installationId }: ServerSettings): string {
  return `# GraphQL API at ${baseUrl}/graphql, Sync API at ${syncUrl}
# The key and all data are discarded when the server stops (Ctrl+C). This is an environment file
# (node --env-file) for fromEnv() and the examples of the README:

SAAS_MANAGEMENT_BASE_URL=${baseUrl}
SAAS_MANAGEMENT_SYNC_URL=${syncUrl}
SAAS_MANAGEMENT_API_KEY=${apiKey}
SAAS_MANAGEMENT_INSTALLATION_ID=${installationId}
`;
}

/**
 * Writes an environment file, in place of an older one of `serve` if there is one.
 * @throws {UsageError} the file holds something else, which would be lost, or it cannot be written
 */
export function writeEnvFile(path: string, settings: ServerSettings): void {
  try {
    if (!isReplaceable(path))
      throw new UsageError(
        `--write-env ${path} has lines that serve didn't write. They would be lost. Name another file.`,
      );
    writeFileSync(path, envFileOf(settings), { mode: 0o600 });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot write --write-env ${path}: ${messageOf(error)}.`);
  }
}

/** Whether the file may be overwritten: an address or a key that someone changed would be lost. */
function isReplaceable(path: string): boolean {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return true;
    throw error;
  }
  const env = parseEnv(text);
  const value = (name: string) => env[`SAAS_MANAGEMENT_${name}`] ?? "";
  const settings = {
    baseUrl: value("BASE_URL"),
    syncUrl: value("SYNC_URL"),
    apiKey: value("API_KEY"),
    installationId: value("INSTALLATION_ID"),
  };
  return text.trim() === "" || text === envFileOf(settings);
}
