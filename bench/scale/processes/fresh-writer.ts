/**
 * Writes fresh accounts from an async generator with this SDK and prints what that took.
 *
 * Arguments: `{ endpoint, records }` as JSON.
 */
import { SyncClient } from "@saas-management/sdk/sync";
import { take } from "../../harness/stopwatch.js";

const { endpoint, records }: { readonly endpoint: string; readonly records: number } = JSON.parse(
  process.argv[2] ?? "",
);

/** Nothing of a record is kept, and no two share a string. */
async function* accounts() {
  for (let i = 0; i < records; i += 1) {
    yield {
      generic: {
        id: `user-${i}`,
        name: `Person Number ${i}`,
        email: `person.${i}@example.com`,
        username: `person.${i}`,
        active: true,
        roles: [`role-${i % 5}`],
      },
    };
  }
}

const client = new SyncClient({ endpoint, apiKey: "key" });
const batch = await client.startBatch({ installationId: "installation" });
const { ms, cpuMs, loopDelayP99Ms, peakRssMiB } = await take(async () => {
  const { accepted } = await batch.write("accounts", accounts());
  if (accepted !== records) throw new Error(`The server accepted ${accepted} of ${records} records.`);
});
await batch.complete();
await client.close();
const figures = {
  seconds: ms / 1000,
  recordsPerSecond: records / (ms / 1000),
  cpuMicrosPerRecord: (cpuMs * 1000) / records,
  loopDelayP99Ms,
  peakRssMiB,
};
console.log(JSON.stringify(figures));
