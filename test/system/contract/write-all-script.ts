/** Writes a record of each variant, with a value in every field, to all collections, and prints them. Run where a contract was adopted. */
import { type Collection, type RecordOf, SaasManagementClient } from "@saas-management/sdk";
import { isCollection } from "../../../src/sync/collections.js";
import { contractCollections } from "../../contract/collections.js";
import { fullRecords } from "../../contract/full-record.js";

const [syncUrl = ""] = process.argv.slice(2);
await using client = new SaasManagementClient({ syncUrl, baseUrl: "http://127.0.0.1:9", apiKey: "key-1" });
const batch = await client.sync.startBatch({ installationId: "installation-1" });
const written: Record<string, readonly RecordOf<Collection>[]> = {};
for (const { name, record } of contractCollections()) {
  if (!isCollection(name)) throw new Error(`${name} is not generated.`);
  const records: RecordOf<Collection>[] = JSON.parse(JSON.stringify(fullRecords(record)));
  await batch.write(name, records);
  written[name] = records;
}
const completed = await batch.complete();
process.stdout.write(`${JSON.stringify({ batchId: batch.id, written, completed })}\n`);
