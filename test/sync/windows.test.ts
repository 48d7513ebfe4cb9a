import { InvalidInputError, SyncProtocolError, TestClock, TransportError } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { recordsOf } from "../support/scripted-sync-server.js";
import { accounts, useScriptedServer } from "../support/sync-harness.js";

const KIB = 1024;
const LIMIT = 16 * 1024 * KIB;

const harness = useScriptedServer();
const { startBatch } = harness;

/** An account whose whole message, alone in it, has exactly so many bytes. */
function accountOfMessageBytes(bytes: number) {
  const shell = (name: string) =>
    SyncRecordsRequest.encode({
      batchId: "batch-1",
      collection: {
        $case: "accounts",
        value: {
          records: [
            { variant: { $case: "generic", value: { id: "a", name, roles: [], details: undefined } } },
          ],
        },
      },
    }).finish().length;
  let length = bytes - shell("");
  while (shell("x".repeat(length)) > bytes) length -= 1;
  const name = "x".repeat(length);
  expect(shell(name)).toBe(bytes);
  return { generic: { id: "a", name } };
}

describe("messages", () => {
  it("are cut to messageBytes and hold every record once, in order", async () => {
    const batch = await startBatch({ messageBytes: 2000, windowBytes: 6000 });
    await batch.write("accounts", accounts(100));
    const messages = harness.server.streams.flatMap((stream) => stream.messages);
    expect(messages.length).toBeGreaterThan(3);
    for (const message of messages) expect(message.length).toBeLessThanOrEqual(2000);
    const ids = messages.flatMap(recordsOf).map((record) => JSON.stringify(record));
    expect(ids).toHaveLength(100);
    expect(ids[0]).toContain('"u0"');
    expect(ids[99]).toContain('"u99"');
    expect(new Set(ids).size).toBe(100);
  });

  it("are filled in turns with whatever else the process does", async () => {
    const clock = new TestClock({ startAt: 0 });
    const batch = await startBatch({ clock });
    let taken = 0;
    let takenAtTurn: number | undefined;
    function* slow() {
      setImmediate(() => {
        takenAtTurn = taken;
      });
      for (const account of accounts(1000)) {
        clock.advance(1);
        taken += 1;
        yield account;
      }
    }
    await batch.write("accounts", slow());
    expect(taken).toBe(1000);
    expect(takenAtTurn).toBeLessThan(1000);
  });

  it("carry the batch id and have the canonical encoding", async () => {
    const batch = await startBatch();
    await batch.write("accounts", accounts(3));
    const [message] = harness.server.streams.flatMap((stream) => stream.messages);
    if (message === undefined) throw new Error("no message");
    const decoded = SyncRecordsRequest.decode(message);
    expect(decoded.batchId).toBe("batch-1");
    expect(Buffer.from(SyncRecordsRequest.encode(decoded).finish()).equals(Buffer.from(message))).toBe(true);
  });

  it.each([
    ["one byte under", LIMIT - 2],
    ["exactly at", LIMIT - 1],
  ])("take a record %s the largest size that the service accepts", async (_, bytes) => {
    const batch = await startBatch();
    const result = await batch.write("accounts", [accountOfMessageBytes(bytes)]);
    expect(result).toMatchObject({ accepted: 1, messages: 1, bytes });
    expect(harness.server.streams[0]?.messages[0]?.length).toBe(bytes);
  });

  it("refuse a record that would make a message of 16 MiB, by index, id and size, and send nothing", async () => {
    const batch = await startBatch();
    const error = await batch.write("accounts", [accountOfMessageBytes(LIMIT)]).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ issues: [{ collection: "accounts", index: 0, id: "a" }] });
    expect(String(error)).toMatch(/16777215 bytes: alone it makes one of 16777216 bytes/);
    expect(harness.server.streams).toHaveLength(0);
  });

  it("stay within maxSendMessageBytes, to the byte", async () => {
    const batch = await startBatch({ maxSendMessageBytes: 5000 });
    await batch.write("accounts", [accountOfMessageBytes(5000)]);
    expect(harness.server.streams[0]?.messages[0]?.length).toBe(5000);
    const next = await startBatch({ maxSendMessageBytes: 5000 });
    await expect(next.write("accounts", [accountOfMessageBytes(5001)])).rejects.toBeInstanceOf(
      InvalidInputError,
    );
  });

  it("register an empty source as one empty collection", async () => {
    const batch = await startBatch();
    const result = await batch.write("groupMembers", []);
    expect(result).toMatchObject({ collection: "groupMembers", accepted: 0, messages: 1, retries: 0 });
    const [message] = harness.server.streams.flatMap((stream) => stream.messages);
    expect(SyncRecordsRequest.decode(message ?? new Uint8Array()).collection).toEqual({
      $case: "groupMembers",
      value: { records: [] },
    });
  });
});

describe("windows", () => {
  it("of a snapshot collection hold several messages up to windowBytes, each window on a stream of its own", async () => {
    const batch = await startBatch({ messageBytes: 1000, windowBytes: 3000 });
    await batch.write("accounts", accounts(50));
    expect(harness.server.streams.length).toBeGreaterThan(1);
    for (const { messages } of harness.server.streams) {
      expect(messages.reduce((sum, m) => sum + m.length, 0)).toBeLessThanOrEqual(3000);
    }
    expect(harness.server.streams[0]?.messages.length).toBeGreaterThan(1);
  });

  it("of a snapshot collection hold six messages of 1 MiB at the defaults", async () => {
    const batch = await startBatch();
    const large = Array.from({ length: 140 }, (_, i) => ({
      generic: { id: `a${i}`, name: "x".repeat(100 * KIB) },
    }));
    await batch.write("accounts", large);
    expect(harness.server.streams.map(({ messages }) => messages.length)).toEqual([6, 6, 2]);
    for (const { messages } of harness.server.streams)
      for (const message of messages) expect(message.length).toBeLessThanOrEqual(1024 * KIB);
  });

  it("of an event collection hold one message", async () => {
    const batch = await startBatch({ messageBytes: 1000, windowBytes: 100_000 });
    const events = Array.from({ length: 50 }, (_, i) => ({
      generic: {
        id: `e${i}`,
        sourceActorId: "u1",
        lastActivity: new Date(0),
        externalProductName: "p".repeat(50),
      },
    }));
    await batch.write("usage", events);
    expect(harness.server.streams.length).toBeGreaterThan(2);
    for (const { messages } of harness.server.streams) expect(messages).toHaveLength(1);
  });

  it("never overlap on the wire, also when writes are not awaited", async () => {
    const batch = await startBatch({ messageBytes: 500, windowBytes: 1000 });
    const writes = [
      batch.write("accounts", accounts(20)),
      batch.write("plans", []),
      batch.write("accounts", accounts(20)),
    ];
    await batch.complete();
    await Promise.all(writes);
    expect(harness.server.mostOpenStreams()).toBe(1);
    expect(harness.server.streams.flatMap((s) => s.messages).flatMap(recordsOf)).toHaveLength(40);
  });

  it("are sent again alone, with the same bytes, after a transient failure", async () => {
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
    expect(batch.writes[0]?.ranges).toEqual([{ outcome: "accepted", firstIndex: 0, records: 20 }]);
  });

  it("that were refused are not sent again, and their records are known to be rejected", async () => {
    harness.server.scripts.SyncRecords.push(undefined, {
      code: 3,
      details: "accounts[3].generic.id is missing",
    });
    const batch = await startBatch({ messageBytes: 1000, windowBytes: 1000 });
    const error = await batch.write("accounts", accounts(20)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SyncProtocolError);
    expect(error).toMatchObject({
      grpcStatus: "INVALID_ARGUMENT",
      serverMessage: "accounts[3].generic.id is missing",
      attempts: 1,
    });
    expect(harness.server.streams).toHaveLength(2);
    expect(batch.writes[0]?.ranges.map((range) => range.outcome)).toEqual(["accepted", "rejected"]);
  });

  it("whose answers are lost for good leave their records unknown", async () => {
    const lost = { code: 14, details: "gone" };
    harness.server.scripts.SyncRecords.push(lost, lost, lost);
    const batch = await startBatch();
    const error = await batch.write("accounts", accounts(5)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ attempts: 3 });
    expect(batch.writes[0]).toMatchObject({
      state: "failed",
      retries: 2,
      ranges: [{ outcome: "unknown", firstIndex: 0, records: 5 }],
    });
  });

  it("of which the service acknowledges fewer records than were sent are a failure", async () => {
    harness.server.acknowledge = (records) => records - 1;
    const batch = await startBatch();
    await expect(batch.write("accounts", accounts(5))).rejects.toThrow(
      /acknowledged 4 of 5 records of accounts/,
    );
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  });

  it("that are acknowledged without a count are accepted", async () => {
    harness.server.acknowledge = () => undefined;
    const batch = await startBatch();
    await expect(batch.write("accounts", accounts(5))).resolves.toMatchObject({ accepted: 5 });
  });
});
