import { pathToFileURL } from "node:url";
import { ConfigurationError } from "../../core/errors/index.js";

/** Imports a module of the user, which may be TypeScript. @throws {ConfigurationError} it cannot be loaded */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const isUnknown =
      cause instanceof Error && "code" in cause && cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
    const reason = isUnknown
      ? `Node ${process.versions.node} does not read TypeScript. Use Node 22.18 or later, or install tsx and set NODE_OPTIONS="--import tsx", or write it in JavaScript`
      : (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, "");
    throw new ConfigurationError(`${path} cannot be loaded: ${reason}.`, { cause });
  }
}
