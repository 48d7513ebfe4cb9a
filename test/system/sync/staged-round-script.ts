/**
 * A staged run of a round, whose process is killed at a point: before or after a call of a store, or at its progress.
 * Prints `asked` when it asks the vendor, and at its end how many points there were. Arguments: endpoint, key,
 * installation, place as JSON, `run` or `commit`, round, point.
 */
import { writeSync } from "node:fs";
import { storeLedger } from "../../../src/index.js";
import { createSyncClient } from "../../../src/sync/client.js";
import { storeStaging } from "../../../src/sync/staging/staging.js";
import { connectorOf } from "../../support/connector.js";
import { pointedStore, sourceOf, storesOf, writeRound } from "./staged-source.js";

const [endpoint = "", apiKey = "", installationId = "", place = "", way, round = "", last = ""] =
  process.argv.slice(2);
let points = 0;
const point = () => {
  points += 1;
  if (points === Number(last)) process.kill(process.pid, "SIGKILL");
};
const stores = storesOf(JSON.parse(place));
const staging = storeStaging(pointedStore(stores.staging, point));
const ledger = storeLedger(pointedStore(stores.ledger, point));
// Small windows: there is something to kill between them.
const client = createSyncClient({ endpoint, apiKey, messageBytes: 100, windowBytes: 200 });
const asked = () => void writeSync(1, "asked\n");
const options = { firstRun: Number(round) === 0, onProgress: point, restarts: 0 };
const run = async () => {
  if (way === "run") {
    const connector = connectorOf(["accounts", "groups"], writeRound(Number(round), asked));
    return client.run(connector, { ...options, installationId, ledger, staging });
  }
  const { accounts, groups, events } = sourceOf(Number(round));
  const staged = await client.stage(staging, {
    runKey: `round ${round}`,
    version: "1",
    partitions: { accounts: ["low", "high"], groups: ["all"], usage: ["all"] },
    installationId,
    ledger,
  });
  asked();
  await staged.extract("accounts", "low", accounts.slice(0, 10));
  await staged.extract("accounts", "high", accounts.slice(10));
  await staged.extract("groups", "all", groups);
  await staged.extract("usage", "all", events);
  return client.commit(staged, options);
};
await run();
await client.close();
await stores.close();
writeSync(1, `${points}\n`);
