import { InvalidInputError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { recordsOf } from "../support/sync-server.js";

const KIB = 1024;
const LIMIT = 16 * 1024 * KIB;

const harness = useScriptedServer();
const { startBatch } = harness;

/** An account that alone makes a message of exactly this many bytes. */
function accountOfMessageBytes(bytes: number) {
  const sizeWith = (name: string) =>
    SyncRecordsRequest.encode({
      batchId: "batch-1",
      collection: {
        $case: "accounts",
        value: { records: [{ variant: { $case: "generic", value: { id: "a", name, roles: [] } } }] },
      },
    }).finish().length;
  // The length prefixes before the name grow with the name.
  const length = 2 * bytes - sizeWith("x".repeat(bytes));
  const name = "x".repeat(length);
  expect(sizeWith(name)).toBe(bytes);
  return { id: "a", name };
}

test("sends a record of exactly the largest size that the service accepts", async () => {
  const bytes = LIMIT - 1;
  const batch = await startBatch();
  const result = await batch.write("accounts", [accountOfMessageBytes(bytes)]);
  expect(result).toMatchObject({ accepted: 1, messages: 1, bytes });
  expect(harness.server.streams[0]?.messages[0]?.length).toBe(bytes);
});

test("refuses a record that would make a message of 16 MiB, and sends nothing", async () => {
  const batch = await startBatch();
  const error = await batch.write("accounts", [accountOfMessageBytes(LIMIT)]).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(InvalidInputError);
  const expected = expect.stringMatching(/16777215 bytes.*16777216 bytes/);
  expect(error).toMatchObject({ issues: [{ collection: "accounts", index: 0, id: "a", expected }] });
  expect(harness.server.streams).toHaveLength(0);
});

test("sends an empty source as one empty collection", async () => {
  const batch = await startBatch();
  const result = await batch.write("licenses", []);
  expect(result).toMatchObject({ accepted: 0, messages: 1, retries: 0 });
  const [message] = harness.server.streams.flatMap((stream) => stream.messages);
  expect(SyncRecordsRequest.decode(message ?? new Uint8Array()).collection).toEqual({
    $case: "licenses",
    value: { records: [] },
  });
});

test("sends six messages of 1 MiB in a window by default", async () => {
  const batch = await startBatch();
  const large = Array.from({ length: 140 }, (_, i) => ({ id: `a${i}`, name: "x".repeat(100 * KIB) }));
  await batch.write("accounts", large);
  expect(harness.server.streams.map(({ messages }) => messages.length)).toEqual([6, 6, 2]);
  for (const { messages } of harness.server.streams)
    for (const message of messages) expect(message.length).toBeLessThanOrEqual(1024 * KIB);
});

test("resends only the failed window, with the same bytes, after a transient failure", async () => {
  harness.server.scripts.SyncRecords.push(undefined, { code: 14, details: "try again" });
  const batch = await startBatch({ messageBytes: 1000, windowBytes: 1000 });
  const result = await batch.write("accounts", accounts(20));
  expect(result).toMatchObject({ accepted: 20, retries: 1 });
  const [, failed, again] = harness.server.streams;
  expect(again?.messages).toEqual(failed?.messages);
  const ids = harness.server.streams
    .filter((s) => s !== failed)
    .flatMap((s) => s.messages.flatMap(recordsOf));
  expect(ids).toHaveLength(20);
});
