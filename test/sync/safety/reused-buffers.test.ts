import { expect, test } from "vitest";
import { SaasManagementClient, storeLedger } from "../../../src/index.js";
import { GuardedSnapshot } from "../../../src/runs/guard/snapshot.js";
import { readSpoolOptions, Spool } from "../../../src/runs/spool.js";
import { EncodedRecord } from "../../../src/sync/encoding/record-inspector.js";
import { startReferenceServer } from "../../../src/testing/index.js";
import { collectionLedger } from "../../support/ledgers.js";

/** Reads each value through one buffer, as stores that read from files or sockets may do. */
function storeOfOneBuffer() {
  const values = new Map<string, Buffer>();
  return {
    putIfAbsent: async (key: string, value: AsyncIterable<Uint8Array>) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of value) pieces.push(new Uint8Array(piece));
      if (values.has(key)) return false;
      values.set(key, Buffer.concat(pieces));
      return true;
    },
    get: async (key: string) => {
      const value = values.get(key);
      return value && readThrough(value, new Uint8Array(1000));
    },
    list: async function* (prefix: string) {
      for (const key of [...values.keys()]) if (key.startsWith(prefix)) yield key;
    },
    delete: async (key: string) => void values.delete(key),
  };
}

async function* readThrough(value: Buffer, buffer: Uint8Array) {
  for (let at = 0; at < value.length; at += buffer.length) {
    const part = value.subarray(at, at + buffer.length);
    buffer.fill(0);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
  }
  buffer.fill(0);
}

test("reads a ledger whose store reuses its buffer", async () => {
  await using server = await startReferenceServer();
  const { syncUrl, apiKey, installationId } = server;
  const sync = { installationId, ledger: storeLedger(storeOfOneBuffer()) };
  await using client = new SaasManagementClient({ syncUrl, apiKey, sync });
  const records = Array.from({ length: 5000 }, (_, i) => ({ id: `account-${i}` }));
  const push = (firstRun: boolean) =>
    client.sync.run(
      { snapshots: ["accounts"], run: async (batch) => void (await batch.write("accounts", records)) },
      { firstRun },
    );
  await push(true);
  const { collections } = await push(false);
  expect(collections.accounts?.expected).toMatchObject({ baseline: "completed", known: 5000, removed: 0 });
});

test("reuses buffers of ids only after they were saved for the ledger", async () => {
  const [endpoint, installationId, collection] = ["https://sync.example.com", "1", "accounts"] as const;
  const scope = { endpoint, installationId, collection };
  const ledger = collectionLedger(storeOfOneBuffer(), scope);
  const spool = new Spool(readSpoolOptions("spool", { memoryBytes: 100_000 }));
  const snapshot = new GuardedSnapshot(collection, ledger, spool);
  const record = new EncodedRecord(true);
  const sent: string[] = [];
  for (const part of [1, 2, 3]) {
    for (let i = 0; i < 10_000; i += 1) {
      const id = `account-${part}-${i}`.padEnd(50, ".");
      sent.push(`${id}\n`);
      // A variant of a record; its first field is the id.
      const variant = Buffer.concat([Buffer.from([0x0a, id.length]), Buffer.from(id)]);
      const bytes = Buffer.concat([Buffer.from([0x0a, variant.length]), variant]);
      snapshot.ids.inspect(record.moveTo(bytes, 0, bytes.length, sent.length));
    }
    await new Promise(setImmediate);
  }
  snapshot.ids.flush();
  await spool.settled();
  await ledger.put("ids", await ledger.read(), "run-batch", snapshot);
  const [stored] = ledger.known(await ledger.read());
  const lines: Uint8Array[] = [];
  for await (const piece of stored?.lines() ?? []) lines.push(Buffer.from(piece));
  expect(`${Buffer.concat(lines)}` === sent.join("")).toBe(true);
  await spool.close();
});
