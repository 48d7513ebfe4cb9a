import { join, relative } from "node:path";
import { ROOT } from "../api/entries.js";

/** The path of a source as a built package's source maps see it: in `src`, next to the built files. */
export function shippedSource(folder: string, source: string): string {
  return join(folder, relative(ROOT, source));
}
