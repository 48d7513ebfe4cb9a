/**
 * Spreads a large installation over many workers, kills them, and checks what the service has afterwards:
 *
 *     NODE_OPTIONS=--max-old-space-size=12000 npm run fan-out -- [records]
 */
import { startReferenceServer } from "@saas-management/sdk/testing";
import { buildPrograms } from "../programs.js";
import { FanOut } from "./fan-out.js";

await buildPrograms();
const records = Number(process.argv[2] ?? 5_000_000);
const server = await startReferenceServer();
const fanOut = await FanOut.start(server, records);
try {
  const begunAt = performance.now();
  console.log(await fanOut.runWithKills(server.installationId));
  console.log(`${Math.round((performance.now() - begunAt) / 1000)} s`);
  const { snapshots, lock, batches } = server.inspect();
  const present = new Set(snapshots.accounts.flatMap(({ id, removed }) => (removed ? [] : [id])));
  let missing = 0;
  for (const id of fanOut.ids()) if (!present.delete(id)) missing += 1;
  console.log({ missing, unknown: present.size, lock, states: batches.map(({ state }) => state) });
} finally {
  await fanOut.close();
  await server.close();
}
