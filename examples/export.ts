/**
 * Exports all licenses to a JSON Lines file, however many there are.
 *
 *   npx tsx examples/export.ts licenses.jsonl --rate 5 --page-size 500
 *
 * - Reads SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_API_KEY. `--rate` is the most requests a second, retries
 *   included; `--page-size` is the number of licenses per request.
 * - `licenses.jsonl` appears when it is complete. Until then, `licenses.jsonl.part` has the lines, and
 *   `licenses.jsonl.position` says where to continue. After a failure or a kill, start it again: it continues there.
 *   Delete both files to start from the beginning. Start one process per file.
 * - It keeps two pages in memory, and about 170 bytes for each page that it has read.
 */
import { parseArgs } from "node:util";
import { SaasManagementClient } from "@saas-management/sdk";
import { paced } from "./export/paced.js";
import { ResumableFile } from "./export/resumable-file.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: "string", default: "5" }, "page-size": { type: "string", default: "500" } },
});
const [path = "licenses.jsonl"] = positionals;

await using client = SaasManagementClient.fromEnv({ fetch: paced(Number(values.rate)) });
await using file = await ResumableFile.open(path);
const { cursor, lines } = file;
if (lines > 0) console.log(`Continuing after ${lines} licenses.`);

// In the order of their ids, so that no license moves to another page meanwhile.
const order = { id: "ASC" } as const;
const licenses = client.graphql.licenses({ order, pageSize: Number(values["page-size"]), cursor });
for await (const { nodes, pageInfo } of licenses.pages()) await file.append(nodes, pageInfo.endCursor);
await file.complete();
console.log(`${file.lines} licenses are in ${path}.`);
