import { readFileSync } from "node:fs";
import type { Collection, RecordOf } from "@saas-management/sdk";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { SyncEngine } from "../../../src/runs/engine.js";
import { createSyncClient } from "../../../src/runs/engine.js";
import type { SyncClientOptions } from "../../../src/sync/options.js";
import { recordType } from "../../support/contract.js";
import { COLLECTION_NAMES, RECORDS } from "../../support/record-arbitraries.js";
import { accounts } from "../../support/records.js";
import { isEvent } from "../../support/sent-messages.js";
import { certificateFile, keyFile } from "../../support/tls-certificates.js";
import { ofInput } from "../../support/wire-form.js";
import { compileDescriptors, type Descriptors, skipped, whySkipped } from "./python-program.js";
import { PythonServer } from "./python-server.js";

const MIB = 1024 * 1024;
const STARTUP_MS = 60_000;
const LIMIT = 16 * MIB;

describe.skipIf(skipped)(`the SDK with a python3-grpcio server${whySkipped}`, () => {
  let descriptors: Descriptors;
  let server: PythonServer;
  let clients: SyncEngine[];

  beforeAll(async () => {
    descriptors = await compileDescriptors();
    server = await PythonServer.start(descriptors);
  }, STARTUP_MS);
  afterAll(async () => {
    await server?.stop();
    await descriptors?.remove();
  });
  beforeEach(async () => {
    clients = [];
    await server.reset();
  });
  afterEach(async () => {
    for (const client of clients) await client.close();
  });

  function newClient(options: Partial<SyncClientOptions> = {}): SyncEngine {
    const retry = { retries: 2, minDelayMs: 1, maxDelayMs: 1 };
    const client = createSyncClient({
      endpoint: server.endpoint,
      apiKey: "key-1",
      retry,
      allowAnyEventTime: true,
      ...options,
    });
    clients.push(client);
    return client;
  }

  const start = (options?: Partial<SyncClientOptions>) =>
    newClient(options).startBatch({ installationId: "installation-1" });

  /** Another server with settings of its own. */
  async function serveWith(...args: string[]): Promise<PythonServer> {
    const other = await PythonServer.start(descriptors, args);
    onTestFinished(() => other.stop());
    return other;
  }

  test("pushes records of all collections in order and unchanged", async () => {
    const batch = await start({ messageBytes: 2000, windowBytes: 8000 });
    for (const collection of COLLECTION_NAMES) {
      const record: fc.Arbitrary<RecordOf<Collection>> = RECORDS[collection];
      const records = fc.sample(record, { seed: 1, numRuns: 60 });
      const result = await batch.write(collection, records);
      const { messages, metadata } = await server.received();
      expect(messages.map(({ batchId, collections }) => ({ batchId, collections }))).toEqual(
        messages.map(() => ({ batchId: batch.id, collections: [collection] })),
      );
      const type = recordType(collection);
      const forms = messages.flatMap((message) => message.records.map((r) => ofInput(type, r)));
      expect(forms).toStrictEqual(records.map((r) => ofInput(type, r)));
      expect(result).toMatchObject({ accepted: 60, messages: messages.length, retries: 0 });
      expect(messages.reduce((sum, { wireBytes }) => sum + wireBytes, 0)).toBe(result.bytes);
      expect(metadata[0]).toMatchObject({ "user-agent": expect.stringMatching(/^saas-management-sdk\//) });
    }
    const completed = await batch.complete();
    expect(Object.keys(completed).sort()).toEqual([...COLLECTION_NAMES].sort());
    for (const name of COLLECTION_NAMES.filter(isEvent)) expect(completed[name]).toEqual({ accepted: 60 });
  });

  test.each(COLLECTION_NAMES)(
    "registers an empty source of %s as an empty collection",
    async (collection) => {
      const batch = await start();
      await expect(batch.write(collection, [])).resolves.toMatchObject({ accepted: 0, messages: 1 });
      const { messages } = await server.received();
      expect(messages).toMatchObject([{ collections: [collection], records: [] }]);
      const counts = isEvent(collection) ? { accepted: 0 } : { added: 0, updated: 0, removed: 0 };
      expect(await batch.complete()).toEqual({ [collection]: counts });
    },
  );

  test("reads the counts of a completed batch, and trusts no answer without them", async () => {
    const first = await start();
    await first.write("accounts", accounts(3));
    await first.complete();
    const second = await start();
    await second.write("accounts", [...accounts(2), { id: "new" }]);
    await expect(second.complete()).resolves.toEqual({
      accounts: { added: 1, updated: 2, removed: 1 },
    });
    await server.count(false);
    const third = await start();
    await expect(third.write("accounts", accounts(3))).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
    await third.abort();
  });

  test("sends a message of 16 MiB - 1", async () => {
    const other = await serveWith("--max-receive-bytes", String(LIMIT - 1));
    const batch = await start({
      endpoint: other.endpoint,
      messageBytes: LIMIT - 1,
      windowBytes: LIMIT - 1,
    });
    async function wireBytes(nameLength: number): Promise<number> {
      await batch.write("accounts", [{ id: "a", name: "n".repeat(nameLength) }]);
      const { messages } = await other.received();
      return messages[0]?.wireBytes ?? 0;
    }
    // The length prefixes of 2 MiB to 256 MiB take four bytes each.
    const rest = (await wireBytes(2 * MIB)) - 2 * MIB;
    await expect(wireBytes(LIMIT - 1 - rest)).resolves.toBe(LIMIT - 1);
  });

  test("reports a refusal that arrives while a window is being sent", async () => {
    const batch = await start({ messageBytes: 1.5 * MIB, windowBytes: 12 * MIB });
    await server.refuse({ operation: "SyncRecords", code: "INVALID_ARGUMENT", details: "not these" });
    await expect(batch.write("accounts", accounts(10_000, 1000))).rejects.toMatchObject({
      grpcStatus: "INVALID_ARGUMENT",
      serverMessage: "not these",
      attempts: 1,
    });
    await batch.abort();
  });

  test("reports server messages in any script", async () => {
    const details = "Zürich, 100 %: 日本語 👩‍👩‍👧‍👦\nsecond line";
    await server.refuse({ operation: "StartSyncBatch", code: "INVALID_ARGUMENT", details });
    await expect(start()).rejects.toMatchObject({ serverMessage: details });
  });

  test("works over TLS only with the given authority", async () => {
    const { endpoint } = await serveWith(
      "--cert",
      certificateFile("self-signed"),
      "--key",
      keyFile("self-signed"),
    );
    const batch = await start({ endpoint, tls: { ca: readFileSync(certificateFile("self-signed")) } });
    await batch.write("accounts", accounts(2000, 1000));
    await expect(batch.complete()).resolves.toMatchObject({ accounts: { added: 2000 } });
    await expect(start({ endpoint, retry: false })).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  });
});
