/**
 * Peak memory of a write from an async generator, for one and for five times as many records: it must not grow.
 *
 *     npx tsx --tsconfig tsconfig.dev.json bench/sync-memory.ts [records]     (default 1,000,000)
 *
 * The sink and each write are processes of their own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SMALL = Number(process.argv[2] ?? 1_000_000);
const TSX = ["--import", "tsx"];

function start(script: string, args: readonly string[] = []) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, [...TSX, path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      TSX_TSCONFIG_PATH: fileURLToPath(new URL("../tsconfig.dev.json", import.meta.url)),
    },
  });
}

async function firstLine(child: ReturnType<typeof start>): Promise<string> {
  const [chunk]: unknown[] = await once(child.stdout, "data");
  return String(chunk).trim();
}

const sink = start("support/sink.ts");
const endpoint = `http://127.0.0.1:${await firstLine(sink)}`;
const results: { records: number; ms: number; peakRssMiB: number }[] = [];
for (const records of [SMALL, 5 * SMALL]) {
  const writer = start("support/memory-writer.ts", [endpoint, String(records)]);
  results.push(JSON.parse(await firstLine(writer)));
  await once(writer, "exit");
}
sink.stdin.end();

const [small, large] = results;
if (small === undefined || large === undefined) throw new Error("no results");
console.log("records      thousand records/s   peak RSS MiB");
for (const { records, ms, peakRssMiB } of results) {
  console.log(
    `${String(records).padEnd(12)} ${(records / ms).toFixed(0).padStart(18)} ${peakRssMiB.toFixed(0).padStart(14)}`,
  );
}
console.log(`peak RSS ratio: ${(large.peakRssMiB / small.peakRssMiB).toFixed(2)} (to be at most 1.10)`);
