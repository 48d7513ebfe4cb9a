/**
 * Exports all licenses to a JSON Lines file, however many there are, and continues where it was killed.
 *
 *   npx tsx --env-file=.env node_modules/@saas-management/sdk/examples/export-licenses.mts licenses.jsonl
 *
 * The file appears when it's complete. Until then, `licenses.jsonl.part` has the lines and `licenses.jsonl.position`
 * says where to continue; delete both to start over. Only two pages are in memory. Start one process per file.
 */
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { SaasManagementClient } from "@saas-management/sdk";

const PAGE = 500;
const PAUSE_MS = Number(process.env["PAUSE_MS"] ?? 200);
const [path = "licenses.jsonl"] = process.argv.slice(2);

/** How many bytes of the file are safely written, and where the listing continues. */
interface Position {
  readonly bytes: number;
  readonly lines: number;
  readonly cursor: string;
}

const file = await open(`${path}.part`, "a");
let position = await readPosition();
// Lines reach the disk before the position that covers them; anything after that position is cut off and read again.
if (position !== undefined && position.bytes > (await file.stat()).size) position = undefined;
await file.truncate(position?.bytes ?? 0);
if (position !== undefined) console.log(`Continuing after ${position.lines} licenses.`);

await using client = SaasManagementClient.fromEnv();
// Ordered by id, so that no license moves to another page during the export.
const licenses = client.graphql.licenses({ order: { id: "ASC" }, pageSize: PAGE, cursor: position?.cursor });
for await (const { nodes, pageInfo } of licenses.pages()) {
  if (pageInfo.endCursor === null) break; // an empty page
  const text = nodes.map((license) => `${JSON.stringify(license)}\n`).join("");
  await file.appendFile(text);
  await file.datasync();
  const { bytes = 0, lines = 0 }: Partial<Position> = position ?? {};
  position = {
    bytes: bytes + Buffer.byteLength(text),
    lines: lines + nodes.length,
    cursor: pageInfo.endCursor,
  };
  // Written under another name first: a half-written position would be worthless.
  await writeFile(`${path}.position.new`, JSON.stringify(position), { flush: true });
  await rename(`${path}.position.new`, `${path}.position`);
  await setTimeout(PAUSE_MS); // leaves room for others; the client waits after a 429 anyway
}
await file.close();
await rm(`${path}.position`, { force: true });
await rename(`${path}.part`, path);
console.log(`${position?.lines ?? 0} licenses are in ${path}.`);

async function readPosition(): Promise<Position | undefined> {
  try {
    return JSON.parse(await readFile(`${path}.position`, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
