import { fileURLToPath } from "node:url";

const ROOT = new URL("./", import.meta.resolve("@saas-management/sdk/package.json"));

/** Address of a file of the project, whose compiled scripts run from another folder. */
export function projectPath(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
