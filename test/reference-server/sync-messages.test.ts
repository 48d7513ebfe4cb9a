import { compressionAlgorithms, credentials } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { StartSyncBatchRequest, SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { accepted } from "../support/adopted.js";
import { PlainClient, refused, type WireCollection } from "../support/grpc-client.js";
import { accounts, employees } from "../support/grpc-records.js";
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
  // At this size, each length prefix takes four bytes, so the rest of the message has a fixed size.
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

const encoded = (collection: WireCollection | undefined) => (batchId: string) =>
  Buffer.from(SyncRecordsRequest.encode({ batchId, collection }).finish());
const account = encoded(accounts("a"));
/** Two valid messages make one: protobuf merges them. */
const merged = (second: WireCollection) => (batchId: string) =>
  Buffer.concat([account(batchId), encoded(second)(batchId)]);
const named = (bytes: readonly number[]) => (batchId: string) => {
  const message = encoded(accounts({ id: "a", name: "ZZ" }))(batchId);
  message.set(bytes, message.indexOf("ZZ"));
  return message;
};

test.each<[what: string, messageOf: (batchId: string) => Buffer]>([
  ["a byte", () => Buffer.from([0xff])],
  ["a truncated message", (id) => account(id).subarray(0, -1)],
  ["an invalid tag", (id) => Buffer.concat([account(id), Buffer.from([0, 1])])],
  ["a byte that UTF-8 never has", named([0xff, 0x5a])],
  ["an overlong character", named([0xc0, 0xaf])],
  ["half of a character", named([0x5a, 0xe2])],
  ["no collection", encoded(undefined)],
  ["two collections, of which a decoder would drop the first", merged(employees("g"))],
  ["one collection twice, of which a decoder would drop the first", merged(accounts("b"))],
])("refuses a message of %s, and keeps nothing of it", async (_, bytesOf) => {
  const { client, installationId, server } = fixture();
  const bytes = bytesOf(await client.start(installationId));
  expect(await refused(client.open().sendRaw(bytes).answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(server.inspect(installationId).snapshots).toMatchObject({ accounts: [], employees: [] });
});

const unary = ["startSyncBatch", "completeSyncBatch", "abortSyncBatch"] as const;

test.each(unary)(
  "refuses %s with two messages, no message or malformed bytes, and does nothing",
  async (operation) => {
    const { client, installationId, server } = fixture();
    const batchId = await client.start(installationId);
    const { batches } = server.inspect(installationId);
    const id = operation === "startSyncBatch" ? installationId : batchId;
    const message = Buffer.from(StartSyncBatchRequest.encode({ installationId: id }).finish());
    const two = client.open(operation).sendRaw(message).sendRaw(message);
    expect(await refused(two.end())).toMatchObject({ code: "UNIMPLEMENTED" });
    expect(await refused(client.open(operation).end())).toMatchObject({ code: "UNIMPLEMENTED" });
    const malformed = client.sendRaw(operation, Buffer.from([0xff]));
    expect(await refused(malformed)).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(server.inspect(installationId).batches).toEqual(batches);
  },
);
