/** Writes so many fresh accounts from an async generator and prints records, milliseconds and peak memory as JSON. */
import { SyncClient } from "@saas-management/sdk/sync";

const [endpoint = "", count = ""] = process.argv.slice(2);
const records = Number(count);

async function* accounts() {
  for (let i = 0; i < records; i += 1) {
    yield {
      generic: {
        id: `user-${i}`,
        name: `Person Number ${i}`,
        email: `person.${i}@example.com`,
        active: true,
      },
    };
  }
}

const client = new SyncClient({ endpoint, apiKey: "key" });
const batch = await client.startBatch({ installationId: "i" });
const since = performance.now();
await batch.write("accounts", accounts());
const ms = performance.now() - since;
await batch.complete();
await client.close();
console.log(JSON.stringify({ records, ms, peakRssMiB: process.resourceUsage().maxRSS / 1024 }));
