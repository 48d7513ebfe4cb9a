import { compressionAlgorithms, credentials } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { StartSyncBatchRequest, SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { accepted } from "../support/adopted.js";
import { PlainClient, refused } from "../support/grpc-client.js";
import { accounts, groups } from "../support/grpc-records.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

const LIMIT = 16 * 1024 * 1024;

/** A message of accounts, padded to a size. */
function messageOf(batchId: string, size: number): Buffer {
  const encode = (padding: number): Uint8Array =>
    SyncRecordsRequest.encode({
      batchId,
      collection: accounts({ id: "big", name: "n".repeat(padding) }),
    }).finish();
  // Lengths of this size take four bytes each, so the rest of the message has a fixed size.
  const overhead = encode(LIMIT / 2).length - LIMIT / 2;
  return Buffer.from(encode(size - overhead));
}

test("accepts a message of one byte less than 16 MiB", async () => {
  const { client, installationId } = fixture();
  const message = messageOf(await client.start(installationId), LIMIT - 1);
  expect(message.length).toBe(LIMIT - 1);
  expect(await client.open().sendRaw(message).end()).toBe(accepted(1));
});

test.each([
  ["uncompressed", {}],
  ["compressed", { "grpc.default_compression_algorithm": compressionAlgorithms.gzip }],
])("refuses a message of 16 MiB that is sent %s", async (_, options) => {
  const { server, installationId, client } = fixture();
  const batchId = await client.start(installationId);
  const sender = new PlainClient(
    server.syncUrl,
    `ApiKey ${server.apiKey}`,
    credentials.createInsecure(),
    options,
  );
  const stream = sender.open().sendRaw(messageOf(batchId, LIMIT));
  expect(await refused(stream.answer)).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  expect(server.inspect(installationId).snapshots.accounts).toEqual([]);
  expect(await sender.write(batchId, accounts("a"))).toBe(accepted(1));
});

test.each([[[0xff, 0x5a]], [[0xc0, 0xaf]], [[0x5a, 0xe2]]])(
  "refuses a string that is not UTF-8: %j",
  async (bytes) => {
    const { client, installationId } = fixture();
    const batchId = await client.start(installationId);
    const collection = accounts({ id: "a", name: "ZZ" });
    const message = Buffer.from(SyncRecordsRequest.encode({ batchId, collection }).finish());
    message.set(bytes, message.indexOf("ZZ"));
    expect(await refused(client.open().sendRaw(message).answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  },
);

const encoded = Buffer.from(SyncRecordsRequest.encode({ batchId: "b", collection: accounts("a") }).finish());

test.each([
  ["a byte", Buffer.from([0xff])],
  ["a truncated message", encoded.subarray(0, -1)],
  ["an invalid tag", Buffer.concat([encoded, Buffer.from([0, 1])])],
])("refuses bytes that are not a protobuf message: %s", async (_, bytes) => {
  const { client } = fixture();
  expect(await refused(client.open().sendRaw(bytes).answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("refuses a message without a collection at every position of a stream", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  for (const stream of [client.open(), client.open().send(batchId, accounts("a"))]) {
    stream.send(batchId, undefined);
    expect(await refused(stream.answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  }
});

test.each([
  ["two collections", groups("g")],
  ["one collection twice", accounts("b")],
])("refuses a message with %s, of which a decoder would drop the first", async (_, second) => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const bytes = Buffer.concat(
    [accounts("a"), second].map((collection) => SyncRecordsRequest.encode({ batchId, collection }).finish()),
  );
  expect(await refused(client.open().sendRaw(bytes).answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(server.inspect(installationId).snapshots).toMatchObject({ accounts: [], groups: [] });
});

const unary = ["startSyncBatch", "completeSyncBatch", "abortSyncBatch"] as const;

test.each(unary)("refuses malformed bytes of %s", async (operation) => {
  const { client } = fixture();
  const call = client.sendRaw(operation, Buffer.from([0xff]));
  expect(await refused(call)).toMatchObject({ code: "INVALID_ARGUMENT" });
});

test.each(unary)("refuses %s with two messages or none and does nothing", async (operation) => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const { batches } = server.inspect(installationId);
  const id = operation === "startSyncBatch" ? installationId : batchId;
  const message = Buffer.from(StartSyncBatchRequest.encode({ installationId: id }).finish());
  const two = client.open(operation).sendRaw(message).sendRaw(message);
  expect(await refused(two.end())).toMatchObject({ code: "UNIMPLEMENTED" });
  expect(await refused(client.open(operation).end())).toMatchObject({ code: "UNIMPLEMENTED" });
  expect(server.inspect(installationId).batches).toEqual(batches);
});
