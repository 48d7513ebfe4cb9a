import { type Collection, InvalidInputError, type RecordOf, type SyncBatch } from "@saas-management/sdk";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import { holds } from "../support/fuzz.js";
import { hostileValue, outcomeOf, Thrown } from "../support/hostile.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { COLLECTION_NAMES, RECORDS } from "../support/record-arbitraries.js";
import { mutated } from "../support/record-mutations.js";
import { expectRecords } from "../support/sent-messages.js";
import { openSyncServer, type SyncServer } from "../support/sync-server.js";

let server: SyncServer;
let client: SyncEngine;
beforeAll(async () => {
  server = await openSyncServer();
  client = createSyncClient({
    endpoint: server.endpoint,
    apiKey: "key-1",
    retry: false,
    allowAnyEventTime: true,
  });
});
afterAll(async () => {
  await client.close();
  server.close();
});

/** What one write sent, and its error. */
async function sent(write: (batch: SyncBatch) => Promise<unknown>) {
  const batch = await client.startBatch({ installationId: "installation-1" });
  server.streams.length = 0;
  const outcome = await outcomeOf(
    () => write(batch),
    (reason) => reason instanceof Thrown,
  );
  batch.close();
  return { outcome, messages: server.streams.flatMap(({ messages }) => messages) };
}

const name = fc.constantFrom(...COLLECTION_NAMES);

/** The arbitraries of all collections under one type. */
function recordsOf(collection: Collection): fc.Arbitrary<RecordOf<Collection>> {
  return RECORDS[collection];
}

test("sends valid records unchanged, even if they are frozen", { timeout: TIMEOUT_MS }, async () => {
  const some = name.chain((n) =>
    fc.tuple(fc.constant(n), fc.array(recordsOf(n), { maxLength: 5 }), fc.boolean()),
  );
  const property = fc.asyncProperty(some, async ([collection, records, frozen]) => {
    const given = frozen ? records.map(deepFreeze) : records;
    const { outcome, messages } = await sent((batch) => batch.write(collection, given));
    expect(outcome?.error).toBeUndefined();
    expectRecords(messages, collection, records);
  });
  await holds({ group: "records", what: "valid records", share: 0.2 }, property);
});

test("sends no part of an invalid record", { timeout: TIMEOUT_MS }, async () => {
  const some = name.chain((n) => fc.tuple(fc.constant(n), mutated(recordsOf(n))));
  const seen = { sent: 0, refused: 0 };
  const property = fc.asyncProperty(some, async ([collection, record]) => {
    const { outcome, messages } = await sent((batch) =>
      Reflect.apply(batch.write, batch, [collection, [record]]),
    );
    const error = outcome?.error;
    seen[error === undefined ? "sent" : "refused"] += 1;
    if (error === undefined) return;
    expect(messages).toEqual([]);
    expect(error).toBeInstanceOf(InvalidInputError);
    if (error instanceof InvalidInputError) expect(error.issues.length).toBeGreaterThan(0);
  });
  await holds({ group: "records", what: "records with a mutation", share: 0.6 }, property);
  expect(Math.min(seen.sent, seen.refused)).toBeGreaterThan(0);
});

test("rejects hostile values in place of records, sources and options", { timeout: TIMEOUT_MS }, async () => {
  const property = fc.asyncProperty(
    hostileValue,
    hostileValue,
    hostileValue,
    async (source, record, option) => {
      const calls: readonly (readonly unknown[])[] = [
        ["accounts", source.open()],
        ["accounts", [record.open()]],
        ["employees", [{ microsoft: record.open() }]],
        ["usage", [{ id: "u", sourceActorId: "a", lastActivity: record.open() }]],
        [source.open(), [{ id: "u" }]],
        ["accounts", [{ id: "u" }], option.open()],
      ];
      for (const args of calls) await sent((batch) => Reflect.apply(batch.write, batch, args));
    },
  );
  await holds({ group: "records", what: "anything for a record or source", share: 0.2 }, property);
});

test("refuses records that are nested without end", async () => {
  const deep: Record<string, unknown> = {};
  deep["details"] = deep;
  let nested: unknown = "x";
  for (let i = 0; i < 50_000; i += 1) nested = { a: nested };
  for (const record of [deep, { id: "u", details: nested }, { microsoft: nested }, nested]) {
    const { outcome } = await sent((batch) => Reflect.apply(batch.write, batch, ["accounts", [record]]));
    expect(outcome?.error?.code).toBe("INVALID_INPUT");
  }
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
