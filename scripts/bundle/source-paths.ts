import { join, relative } from "node:path";
import { ROOT } from "../api/entries.js";

/** Where a source of the project is found from the maps of a built package: in `src`, beside what was built from it. */
export function shippedSource(folder: string, source: string): string {
  return join(folder, relative(ROOT, source));
}
