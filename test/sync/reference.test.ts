import type { Collection, SyncBatch } from "@saas-management/sdk";
import { expect } from "vitest";
import { type GoldenRecords, readGoldenRecords } from "../golden/records.js";
import { testOfAssumedContract } from "../support/adopted.js";
import { COLLECTION_NAMES } from "../support/record-arbitraries.js";
import { testService } from "../support/test-service.js";

const service = testService();

function write<C extends Collection>(batch: SyncBatch, name: C, records: GoldenRecords) {
  return batch.write(name, records[name]);
}

testOfAssumedContract("records of every collection pass the server's own rules", async () => {
  const client = service.syncClient({ allowAnyEventTime: true });
  const batch = await client.startBatch({ installationId: service.installationId });
  const golden = readGoldenRecords();
  for (const name of COLLECTION_NAMES)
    expect(await write(batch, name, golden)).toMatchObject({ accepted: golden[name].length });
  expect(Object.keys(await batch.complete())).toHaveLength(COLLECTION_NAMES.length);
});
