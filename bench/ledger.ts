/**
 * What the ledger costs with 1,000,000 ids: disk, memory, the check before a completion, and a record in a write.
 *
 *     node --expose-gc --import=tsx bench/ledger.ts
 *
 * The ids are random UUIDs, of 36 characters each: few vendors have longer ones, and none compress worse.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EncodedRecord } from "../src/sync/encoding/record-inspector.js";
import { resolveGuard } from "../src/sync/guard/rules.js";
import { GuardedSnapshot } from "../src/sync/guard/snapshot.js";
import { CollectionLedger } from "../src/sync/ledger/collection-ledger.js";
import { batchToken, randomToken } from "../src/sync/ledger/installation-ledger.js";
import { fileLedger, openLedger } from "../src/sync/ledger/ledger.js";
import { noteCompleted } from "../src/sync/ledger/state.js";
import { readSpoolOptions, Spool } from "../src/sync/run/spool.js";

const RECORDS = 1_000_000;
const RECORD_BYTES = 105;
const ID_BYTES = 36;
const MIB = 1024 * 1024;
const rules = {
  rule: resolveGuard(undefined, 0).ruleOf("accounts"),
  isUnknown: false,
  now: Date.now(),
};

const directory = await mkdtemp(join(tmpdir(), "ledger-"));
const scope = { endpoint: "https://sync.example.com", installationId: "installation-1" };
const installation = openLedger(fileLedger(directory), scope);
const ledger = new CollectionLedger(installation, "accounts");
const buffer = new Uint8Array(RECORDS * RECORD_BYTES);
for (let i = 0; i < RECORDS; i += 1) {
  new TextEncoder().encodeInto(randomUUID(), buffer.subarray(i * RECORD_BYTES));
  buffer.fill(i, i * RECORD_BYTES + ID_BYTES, (i + 1) * RECORD_BYTES);
}

try {
  for (const round of ["first", "second", "third"]) await measure(round);
  console.log(`on disk: ${((await sizeOf(directory)) / MIB).toFixed(1)} MiB`);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function measure(round: string): Promise<void> {
  const before = await memory();
  const spool = new Spool(readSpoolOptions("spool"));
  const snapshot = new GuardedSnapshot("accounts", ledger, spool);
  const record = new EncodedRecord(true);
  record.buffer = buffer;
  const writing = stopwatch();
  for (; record.index < RECORDS; record.index += 1) {
    record.start = record.index * RECORD_BYTES;
    record.end = record.start + RECORD_BYTES;
    record.idStart = record.start;
    record.idEnd = record.start + ID_BYTES;
    snapshot.ids.inspect(record);
    // A run waits after each message.
    if (record.index % 10_000 === 0) await spool.settled();
  }
  snapshot.ids.flush();
  await spool.settled();
  const written = writing();
  const checking = stopwatch();
  const { figures } = await snapshot.judge({ ...rules, seen: await ledger.look() });
  const checked = checking();
  const extra = (await memory()) - before;
  const saving = stopwatch();
  const seen = await ledger.look();
  const draft = await ledger.draft(seen, batchToken(randomToken()), snapshot.lines(), snapshot.past);
  await draft.save();
  const pasts = snapshot.pastsWith(rules.rule, []) ?? [];
  const completion = {
    run: { at: rules.now, receipt: {} },
    snapshots: { accounts: { ...draft.place, pasts } },
    advanced: {},
    before: {},
    approval: undefined,
  };
  await noteCompleted(installation, completion, new AbortController().signal);
  await spool.close();
  const saved = saving();
  console.log(
    `${round} run: ${written.cpuMs.toFixed(0)} ns a record in the write, ${(extra / MIB).toFixed(1)} MiB held; check of ${figures.known} known ids ${describe(checked)}; saved in ${describe(saved)}`,
  );
}

/** Memory that is held, after collections of garbage: buffers are freed behind the first one. */
async function memory(): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function stopwatch() {
  const since = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - since, cpuMs: (user + system) / 1000 };
  };
}

function describe({ ms, cpuMs }: { readonly ms: number; readonly cpuMs: number }): string {
  return `${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of CPU)`;
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
