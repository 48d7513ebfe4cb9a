/** Prints every module that is loaded, one per line. */
import { writeSync } from "node:fs";

export function load(url, context, nextLoad) {
  writeSync(1, `${url}\n`);
  return nextLoad(url, context);
}
