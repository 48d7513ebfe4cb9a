/**
 * Reads a generated CSV file of the given size (default 1024 MiB) and prints rows a second and the memory, second
 * by second: it must not grow with the file.
 */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fromCsv } from "@saas-management/sdk/sources";

const megabytes = Number(process.argv[2] ?? 1024);
const folder = await mkdtemp(join(tmpdir(), "sources-bench-"));
const path = join(folder, "users.csv");

function* rows() {
  yield "id,name,email,active,department,note\r\n";
  let left = megabytes * 1024 * 1024;
  for (let i = 0; left > 0; ) {
    let block = "";
    for (const end = i + 1000; i < end; i += 1) {
      const note = i % 10 === 0 ? '"two\r\nlines"' : "x";
      block += `user-${i},Person Number ${i},person.${i}@example.com,${i % 2 === 0},"Sales, West",${note}\r\n`;
    }
    left -= block.length;
    yield block;
  }
}

try {
  await pipeline(Readable.from(rows()), createWriteStream(path));
  const source = fromCsv(path, {
    columns: ["id", "name", "email"],
    map: ({ id, name, email }) => ({ id, name, email }),
  });
  const since = performance.now();
  const rss: number[] = [];
  let read = 0;
  let lookedAt = since;
  for await (const records of source) {
    read += records.length;
    if (performance.now() - lookedAt < 1000) continue;
    lookedAt = performance.now();
    rss.push(Math.round(process.memoryUsage.rss() / 1024 / 1024));
  }
  const seconds = (performance.now() - since) / 1000;
  console.log(`${megabytes} MiB, ${read} rows, ${Math.round(read / seconds / 1000)} thousand rows/s`);
  console.log(`RSS in MiB, second by second: ${rss.join(" ")}`);
  console.log(`peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
} finally {
  await rm(folder, { recursive: true });
}
