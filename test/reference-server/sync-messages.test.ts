import { compressionAlgorithms, credentials } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import {
  StartSyncBatchRequest,
  SyncRecordsRequest,
} from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { PlainClient, refused } from "../support/grpc-client.js";
import { accounts, groups } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";

const LIMIT = 16 * 1024 * 1024;

/** A message of accounts, padded to a size. */
function messageOf(batchId: string, size: number): Buffer {
  const encode = (padding: number): Uint8Array =>
    SyncRecordsRequest.encode({
      batchId,
      collection: accounts({ id: "big", name: "n".repeat(padding) }),
    }).finish();
  // Lengths of this size take four bytes each on the wire, so the rest of the message has a fixed size.
  const overhead = encode(LIMIT / 2).length - LIMIT / 2;
  return Buffer.from(encode(size - overhead));
}

describe("a message of SyncRecords", () => {
  test("is accepted up to one byte below 16 MiB", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    const message = messageOf(batchId, LIMIT - 1);
    expect(message.length).toBe(LIMIT - 1);
    expect(await client.open().sendRaw(message).end()).toBe(1n);
  });

  test("of exactly 16 MiB is refused", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    const message = messageOf(batchId, LIMIT);
    expect(message.length).toBe(LIMIT);
    expect(await refused(client.open().sendRaw(message).answer)).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
    expect(server.inspect(installationId).snapshots.accounts).toEqual([]);
    expect(await client.write(batchId, accounts("a"))).toBe(1n);
  });

  test("is measured uncompressed", async () => {
    const { server, installationId, client } = await startSync();
    const batchId = await client.start(installationId);
    const zipping = new PlainClient(server.syncUrl, `ApiKey ${server.apiKey}`, credentials.createInsecure(), {
      "grpc.default_compression_algorithm": compressionAlgorithms.gzip,
    });
    const stream = zipping.open().sendRaw(messageOf(batchId, LIMIT));
    expect(await refused(stream.answer)).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    expect(await zipping.write(batchId, accounts("a"))).toBe(1n);
  });

  test("with a string that is no UTF-8 is refused, as any proto3 parser does", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    const message = Buffer.from(
      SyncRecordsRequest.encode({ batchId, collection: accounts({ id: "a", name: "ZZ" }) }).finish(),
    );
    const at = message.indexOf("ZZ");
    for (const [first = 0, second = 0] of [
      [0xff, 0x5a],
      [0xc0, 0xaf],
      [0x5a, 0xe2],
    ]) {
      message[at] = first;
      message[at + 1] = second;
      expect(await refused(client.open().sendRaw(message).answer)).toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    }
    message.write("\u00fc", at);
    expect(await client.open().sendRaw(message).end()).toBe(1n);
    expect(server.inspect(installationId).snapshots.accounts).toHaveLength(1);
  });

  test("that is no protobuf message is refused", async () => {
    const { client, installationId } = await startSync();
    await client.start(installationId);
    const cut = SyncRecordsRequest.encode({ batchId: "b", collection: accounts("a") })
      .finish()
      .subarray(0, -1);
    const tagged = Buffer.concat([
      SyncRecordsRequest.encode({ batchId: "b", collection: accounts("a") }).finish(),
      Buffer.from([0, 1]),
    ]);
    for (const bytes of [Buffer.from([0xff]), Buffer.from(cut), tagged]) {
      expect(await refused(client.open().sendRaw(bytes).answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });

  test("must have a collection", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    expect(await refused(client.open().send(batchId, undefined).answer)).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: "The message has no collection: exactly one must be set.",
    });
  });

  test("must not have two collections, of which a decoder would drop the first", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    const encode = (collection: SyncRecordsRequest["collection"]) =>
      SyncRecordsRequest.encode({ batchId, collection }).finish();
    for (const second of [groups("g"), accounts("b")]) {
      const bytes = Buffer.concat([encode(accounts("a")), encode(second)]);
      expect(await refused(client.open().sendRaw(bytes).answer)).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: "The message has more than one collection: exactly one must be set.",
      });
    }
    expect(server.inspect(installationId).batches).toMatchObject([{ accepted: {} }]);
  });

  test("is checked in every position of a stream", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    const stream = client.open().send(batchId, accounts("a")).send(batchId, undefined);
    expect(await refused(stream.answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

test.each(["startSyncBatch", "completeSyncBatch", "abortSyncBatch"] as const)(
  "bytes that are no message are refused by %s as the client's mistake",
  async (operation) => {
    const { client } = await startSync();
    expect(await refused(client.sendRaw(operation, Buffer.from([0xff])))).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  },
);

describe.each(["startSyncBatch", "completeSyncBatch", "abortSyncBatch"] as const)("%s with", (operation) => {
  const message = (id: string) => Buffer.from(StartSyncBatchRequest.encode({ installationId: id }).finish());

  test("two messages is refused at once, and does nothing", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    await client.abort(batchId);
    const { batches } = server.inspect(installationId);
    const id = operation === "startSyncBatch" ? installationId : batchId;
    const call = client.open(operation).sendRaw(message(id)).sendRaw(message(id));
    expect(await refused(call.end())).toMatchObject({ code: "UNIMPLEMENTED" });
    expect(server.inspect(installationId).batches).toEqual(batches);
  });

  test("a second message that comes late is refused at once, before the call is ended", async () => {
    const { client } = await startSync();
    const call = client.open(operation).sendRaw(message("a"));
    await client.write("nope").catch(() => {});
    expect(await refused(call.sendRaw(message("b")).answer)).toMatchObject({ code: "UNIMPLEMENTED" });
  });

  test("no message is refused at once", async () => {
    const { client } = await startSync();
    expect(await refused(client.open(operation).end())).toMatchObject({ code: "UNIMPLEMENTED" });
  });

  test("two messages and no key is refused for the key", async () => {
    const { server } = await startSync();
    const stranger = new PlainClient(server.syncUrl, undefined);
    const call = stranger.open(operation).sendRaw(message("a")).sendRaw(message("b"));
    expect(await refused(call.end())).toMatchObject({ code: "UNAUTHENTICATED" });
  });
});
