import { join, relative } from "node:path";
import { ROOT } from "../api/entries.js";

/** The path of a source in the source maps of a built package: in `src`, next to the built files. */
export function shippedSource(folder: string, source: string): string {
  return join(folder, relative(ROOT, source));
}
