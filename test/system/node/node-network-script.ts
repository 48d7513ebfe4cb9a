/**
 * Asks a server through a client made from the options in argv, closes the client and must then end by itself. Prints
 * what undici left in this process.
 */
import { createRequire } from "node:module";
import { SaasManagementClient } from "../../../src/index.js";

const { cache } = createRequire(import.meta.url);
const options: unknown = JSON.parse(process.argv[2] ?? "");
if (typeof options !== "object" || options === null) throw new Error("Give options as JSON.");

if (process.env["FOREIGN_SIGNALS"] !== undefined) {
  class ForeignSignal extends EventTarget {
    readonly aborted = false;
    throwIfAborted() {}
  }
  class ForeignController {
    readonly signal = new ForeignSignal();
  }
  Object.assign(globalThis, { AbortController: ForeignController, AbortSignal: ForeignSignal });
}

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const client = new SaasManagementClient(options);
const before = Reflect.get(globalThis, DISPATCHER);
await client.graphql.request("query Probe { __typename }", {});
const after = Reflect.get(globalThis, DISPATCHER);
await client.close();
process.stdout.write(
  JSON.stringify({
    undici: Object.keys(cache).some((path) => /[\\/]node_modules[\\/]undici[\\/]/.test(path)),
    globalFetchIsNodes: before === undefined || before === after,
    sockets: process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout/.test(name)),
  }),
);
