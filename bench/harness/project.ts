import { fileURLToPath } from "node:url";

const ROOT = new URL("./", import.meta.resolve("@saas-management/sdk/package.json"));

/** Path of a project file; the compiled scripts run in another folder. */
export function projectPath(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
