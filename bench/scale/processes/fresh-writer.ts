/**
 * Writes fresh accounts from an async generator with this SDK and prints the cost.
 *
 * Arguments: a {@link FreshWrite} as JSON.
 */
import { SaasManagementClient } from "@saas-management/sdk";
import { take } from "../../harness/stopwatch.js";
import { freshNumber } from "../../support/fresh-number.js";

/** What to write. */
export interface FreshWrite {
  readonly endpoint: string;
  readonly records: number;
  /** Whether the numbers in strings are decimal; V8 caches the strings of a few thousand such numbers. */
  readonly decimals: boolean;
}

const { endpoint, records, decimals }: FreshWrite = JSON.parse(process.argv[2] ?? "");

/** Yields records that share no strings, without keeping any record. */
async function* accounts() {
  for (let i = 0; i < records; i += 1) {
    const number = decimals ? `${i}` : freshNumber(i);
    yield {
      id: `user-${number}`,
      name: `Person Number ${number}`,
      email: `person.${number}@example.com`,
      username: `person.${number}`,
      active: true,
      roles: [`role-${number.slice(-1)}`],
    };
  }
}

const client = new SaasManagementClient({ syncUrl: endpoint, apiKey: "key" });
const batch = await client.sync.startBatch({ installationId: "installation" });
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
