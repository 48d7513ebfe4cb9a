/**
 * What a preview of 1,000,000 accounts and as many licenses costs: time and memory.
 *
 *     node --expose-gc --import=tsx bench/preview.ts
 *
 * The licenses come first, which is the worse order: each of their references waits for its account.
 */
import { randomUUID } from "node:crypto";
import { createSyncClient } from "../src/sync/client.js";

const RECORDS = 1_000_000;
const PAGE = 1000;
const MIB = 1024 * 1024;

for (const order of ["licenses first", "accounts first"] as const) {
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const since = performance.now();
  function* pages<R>(record: (i: number) => R): Generator<R[], void, undefined> {
    for (let from = 0; from < RECORDS; from += PAGE) {
      yield Array.from({ length: PAGE }, (_, i) => record(from + i));
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
  }
  const run = randomUUID();
  const accounts = () => pages((i) => ({ id: `${run}-${i}`, name: `Account ${i}`, active: true }));
  const licenses = () =>
    pages((i) => ({
      sourceId: `l-${i}`,
      sourceAccountId: `${run}-${i}`,
      sourcePlanId: "p1",
      billable: true,
    }));
  const { collections } = await createSyncClient({ endpoint: "https://sync.example.com" }).preview(
    {
      snapshots: ["accounts", "licenses"],
      async run(batch) {
        if (order === "licenses first") await batch.write("licenses", licenses());
        await batch.write("accounts", accounts());
        if (order === "accounts first") await batch.write("licenses", licenses());
      },
    },
    { ledger: "none" },
  );
  const seconds = (performance.now() - since) / 1000;
  const sent = (collections.accounts?.stats.bytes ?? 0) + (collections.licenses?.stats.bytes ?? 0);
  console.log(
    `${order}: ${(2 * RECORDS).toLocaleString("en")} records of ${(sent / MIB).toFixed(0)} MiB in ${seconds.toFixed(1)} s, at most ${((most - before) / MIB).toFixed(0)} MiB of buffers`,
  );
}
