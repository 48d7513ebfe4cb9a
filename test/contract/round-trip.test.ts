/** What must hold for every adopted contract. */
import { type Collection, type RecordOf, SaasManagementClient } from "@saas-management/sdk";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { isCollection } from "../../src/sync/collections.js";
import { fullRecords } from "./full-record.js";
import { contractCollections } from "./generated.js";

test.each(contractCollections())(
  "records of $name with every field come back from the reference server",
  async (collection) => {
    const { name, record } = collection;
    if (!isCollection(name)) throw new Error(`${name} is not generated; run npm run codegen.`);
    await using server = await startReferenceServer();
    const { apiKey, syncUrl, baseUrl } = server;
    await using client = new SaasManagementClient({ apiKey, syncUrl, baseUrl });
    const records: RecordOf<Collection>[] = JSON.parse(JSON.stringify(fullRecords(record)));
    const batch = await client.sync.startBatch({ installationId: server.installationId });
    const receipt = await batch.write(name, records);
    expect(receipt.accepted).toBe(records.length);
    await batch.complete();
    const stored = server.inspect(server.installationId).snapshots[name].map((row) => row.record);
    const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
    expect(JSON.parse(JSON.stringify(stored, plain))).toEqual(records);
  },
);
