/** Measures the used heap at some requests, and at exit prints the MiB of each request as JSON. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const { fetch } = globalThis;
const used: Record<number, number> = {};
let requests = 0;

globalThis.fetch = (input, init) => {
  requests += 1;
  if (requests % 20 === 0) {
    collectGarbage();
    used[requests] = process.memoryUsage().heapUsed / 2 ** 20;
  }
  return fetch(input, init);
};
process.on("exit", () => process.stderr.write(JSON.stringify(used)));
