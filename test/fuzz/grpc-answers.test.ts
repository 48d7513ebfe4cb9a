import { TestClock } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import {
  CompleteSyncBatchResponse,
  StartSyncBatchResponse,
  SyncRecordsResponse,
} from "../../src/sync/generated/contract.js";
import { accepted as acceptedOf } from "../support/adopted.js";
import { holds } from "../support/fuzz.js";
import { framed, type Reply, replyWhenRead } from "../support/grpc-replies.js";
import { outcomeOf } from "../support/hostile.js";
import { mutatedBytes } from "../support/mutated-bytes.js";
import { driven } from "../support/promises.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { accounts } from "../support/records.js";
import { openSyncServer, type SyncServer } from "../support/sync-server.js";

const STARTED = StartSyncBatchResponse.encode({ batchId: "batch-1" }).finish();
const ACCEPTED = SyncRecordsResponse.encode({ acceptedRecords: 3n }).finish();
const COMPLETED = CompleteSyncBatchResponse.encode({
  snapshots: [{ collection: "accounts", added: 3n, updated: 0n, removed: 1n }],
  events: [{ collection: "usage", accepted: 2n }],
}).finish();

/** A framed message that was damaged before or after framing, or a status with any message. */
const answer = (message: Uint8Array) =>
  fc.oneof(
    { weight: 3, arbitrary: mutatedBytes([message]).map((body) => ({ body: framed(body) })) },
    { weight: 1, arbitrary: mutatedBytes([framed(message)]).map((body) => ({ body })) },
    {
      weight: 1,
      arbitrary: fc.record({
        status: fc.oneof(fc.integer({ min: 0, max: 16 }), fc.constantFrom(-1, 17, 99)),
        details: fc.oneof(
          fc.constantFrom(
            "%0D%0Aforged line",
            "%1B[2J",
            "%zz",
            "%ff%fe",
            "%E2%80%AE",
            "Received message larger than max",
          ),
          fc.string({ unit: fc.constantFrom(...'aA %0159=\\"<>') }),
        ),
        trailers: fc.record({
          "batch-state": fc.constantFrom("completed", "active", "<b>", "x".repeat(5000)),
        }),
      }),
    },
  );

/** The number of records that an answer accepts; undefined if the answer is invalid or has no number. */
function acceptedBy(given: Reply): bigint | undefined {
  const { body } = given;
  if (body === undefined || body.length < 5) return undefined;
  const message = body.subarray(5);
  if (body[0] !== 0 || Buffer.from(body).readUInt32BE(1) !== message.length) return undefined;
  return SyncRecordsResponse.decode(message).acceptedRecords;
}

const clock = new TestClock({ startAt: new Date(0) });
/** After two messages, grpc-js waits until the call times out. */
const outcome = <T>(call: () => Promise<T>) => outcomeOf(() => driven(clock, call()));

let server: SyncServer;
let replies: Readonly<Record<string, Reply>>;
let client: SyncEngine;
beforeAll(async () => {
  server = await openSyncServer();
  server.answer = (stream, operation) => replyWhenRead(stream, replies[operation] ?? {});
  client = createSyncClient({ endpoint: server.endpoint, apiKey: "canary-key-6f1d", retry: false, clock });
  // The first call loads grpc-js and connects, and no time may pass meanwhile.
  replies = { StartSyncBatch: { body: framed(STARTED) } };
  (await client.startBatch({ installationId: "installation-1" })).close();
});
afterAll(async () => {
  await client.close();
  await server.close();
});

describe("an invalid answer of the Sync API", { timeout: TIMEOUT_MS }, () => {
  test("gives a result or an SDK error, and never a completion that the service did not confirm", async () => {
    const answers = fc.tuple(
      fc.oneof(fc.constant({ body: framed(STARTED) }), answer(STARTED)),
      fc.oneof(fc.constant({ body: framed(ACCEPTED) }), answer(ACCEPTED)),
      answer(COMPLETED),
      answer(new Uint8Array()),
    );
    const seen = { completed: 0, refused: 0 };
    const property = fc.asyncProperty(answers, async ([start, records, complete, abort]) => {
      replies = {
        StartSyncBatch: start,
        SyncRecords: records,
        CompleteSyncBatch: complete,
        AbortSyncBatch: abort,
      };
      const started = await outcome(() => client.startBatch({ installationId: "installation-1" }));
      if (started?.error !== undefined || started === undefined) return;
      const batch = started.value;
      expect(batch.id).not.toBe("");
      const written = await outcome(() => batch.write("accounts", accounts(3)));
      const completed = await outcome(() => batch.complete());
      await outcome(() => batch.abort());
      seen[completed?.error === undefined ? "completed" : "refused"] += 1;
      if (completed?.error === undefined) {
        expect(written?.error).toBeUndefined();
        expect("status" in complete && complete.status !== 0).toBe(false);
      }
      batch.close();
    });
    await holds({ group: "gRPC answers", what: "answers to a whole batch", share: 0.5 }, property);
    expect(Math.min(seen.completed, seen.refused)).toBeGreaterThan(0);
  });

  test("accepts records only if the answer counts as many as were sent", async () => {
    const counted = fc
      .bigInt({ min: 0n, max: 5n })
      .map((acceptedRecords) => ({ body: framed(SyncRecordsResponse.encode({ acceptedRecords }).finish()) }));
    let accepted = 0;
    const property = fc.asyncProperty(fc.oneof(counted, answer(ACCEPTED)), async (records) => {
      replies = { StartSyncBatch: { body: framed(STARTED) }, SyncRecords: records };
      const started = await outcome(() => client.startBatch({ installationId: "installation-1" }));
      if (started?.error !== undefined || started === undefined) return;
      const batch = started.value;
      const written = await outcome(() => batch.write("accounts", accounts(3)));
      if (written !== undefined && written.error === undefined) {
        expect(written.value.accepted).toBe(3);
        expect(acceptedBy(records)).toBe(acceptedOf(3));
        expect("status" in records && records.status !== 0).toBe(false);
        accepted += 1;
      }
      batch.close();
    });
    await holds({ group: "gRPC answers", what: "answers to records", share: 0.5 }, property);
    expect(accepted).toBeGreaterThan(0);
  });
});
