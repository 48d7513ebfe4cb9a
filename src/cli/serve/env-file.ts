import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ReferenceServer } from "../../reference-server/server.js";
import { UsageError } from "../options.js";
import { messageOf } from "../problem.js";

/** The settings that a client needs to reach the server. */
type ServerSettings = Pick<ReferenceServer, "baseUrl" | "syncUrl" | "apiKey" | "installationId">;

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
 * Writes an environment file, but never replaces an existing one.
 * @returns a function that removes the file, unless someone has changed it
 * @throws {UsageError} the file exists, or cannot be written
 */
export function writeEnvFile(path: string, settings: ServerSettings): () => void {
  const text = envFileOf(settings);
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw new UsageError(
      isThere
        ? `--write-env ${path} exists. Name another file, or delete this one if its server has stopped.`
        : `Cannot write --write-env ${path}: ${messageOf(error)}.`,
    );
  }
  return () => {
    if (existsSync(path) && readFileSync(path, "utf8") === text) rmSync(path);
  };
}
