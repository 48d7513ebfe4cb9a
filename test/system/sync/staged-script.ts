/** Extracts a partition, and kills itself at a step of its store. Arguments: directory, step. */
import type { Store } from "@saas-management/sdk";
import { createSyncClient } from "../../../src/sync/client.js";
import { FileStore } from "../../../src/sync/ledger/file-store.js";
import { storeStaging } from "../../../src/sync/staging/staging.js";
import { PLAN, stagedRecords } from "./staged-plan.js";

const [directory = "", killAt = ""] = process.argv.slice(2);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

/** Steps before and after each call of the store, and at each piece of a value. */
function stepped(below: Store): Store {
  const around = async <T>(call: () => Promise<T>): Promise<T> => {
    step();
    const result = await call();
    step();
    return result;
  };
  return {
    get: (key) => around(() => below.get(key)),
    delete: (key) => around(() => below.delete(key)),
    list: (prefix) => below.list(prefix),
    putIfAbsent: (key, value) =>
      around(() =>
        below.putIfAbsent(
          key,
          (async function* () {
            for await (const piece of value) {
              yield piece;
              step();
            }
          })(),
        ),
      ),
  };
}

const client = createSyncClient({
  endpoint: "http://127.0.0.1:1",
  apiKey: "key-1",
  messageBytes: 20_000,
  windowBytes: 20_000,
});
const run = await client.stage(storeStaging(stepped(new FileStore(directory))), PLAN);
const [{ state } = { state: "missing" }] = await run.status();
if (state !== "sealed") await run.extract("accounts", "all", stagedRecords());
await client.close();
process.stdout.write(`${steps}\n`);
