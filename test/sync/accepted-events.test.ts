import type { EventCollection, RecordOf } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COLLECTIONS } from "../../src/sync/collections.js";
import { type EncodedMessage, MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { ENCODERS } from "../../src/sync/generated/encoders.js";
import { AcceptedEvents } from "../../src/sync/run/accepted-events.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../support/property-runs.js";
import { RECORDS } from "../support/record-arbitraries.js";
import { expectRecords } from "../support/sent-messages.js";
import { useScriptedServer } from "../support/sync-harness.js";

const UNAVAILABLE = 14;
const harness = useScriptedServer();

const events = fc
  .constantFrom<EventCollection[]>("usage", "externallyDiscoveredUsage", "auditLogs", "aiUsage", "aiCost")
  .chain((collection) => {
    const record: fc.Arbitrary<RecordOf<EventCollection>> = RECORDS[collection];
    // Few different ones, so that many are equal.
    const records = fc
      .array(record, { minLength: 1, maxLength: 6, size: "max" })
      .chain((pool) => fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 30, size: "max" }));
    return fc.record({ collection: fc.constant(collection), records });
  });

describe("events of a run that is started anew", { timeout: TIMEOUT_MS }, () => {
  it("are accepted in order, and each as often as it was written, wherever attempts fail", async () => {
    const position = fc.integer({ min: 0, max: 12 });
    let restarts = 0;
    const sizes = fc.integer({ min: 1, max: 1500 });
    const property = fc.asyncProperty(
      events,
      sizes,
      fc.uniqueArray(position, { minLength: 1, maxLength: 2 }),
      async ({ collection, records }, messageBytes, failures) => {
        const { server } = harness;
        server.streams.length = 0;
        server.scripts.SyncRecords = Array.from({ length: Math.max(...failures) + 1 }, (_, i) =>
          failures.includes(i) ? { code: UNAVAILABLE } : undefined,
        );
        const client = harness.client({ messageBytes, retry: { retries: 0 } });
        const receipt = await client.run(
          { installationId: "installation-1", snapshots: [], ledger: "none" },
          (batch) => batch.write(collection, records),
        );
        const accepted = server.streams.filter((_, i) => !failures.includes(i));
        const messages = accepted.flatMap((stream) => stream.messages);
        expectRecords(messages, collection, records);
        restarts += receipt.restarts;
      },
    );
    await fc.assert(property, { ...LIMITS, numRuns: RUNS / 6 });
    expect(restarts).toBeGreaterThan(RUNS / 12);
  });

  it("keep their indices in the write, also behind those that were left out", async () => {
    const { server } = harness;
    const event = (i: number) => ({
      generic: { id: `e${i}`, sourceActorId: `a${i}`, lastActivity: new Date("2026-01-01T00:00:00Z") },
    });
    // A message each: three are accepted, the fourth fails, and in the second attempt it is refused.
    const refused = { code: 3, details: "no" };
    server.scripts.SyncRecords = [undefined, undefined, undefined, { code: UNAVAILABLE }, refused];
    const client = harness.client({ messageBytes: 1, retry: { retries: 0 } });
    const error = await client
      .run({ installationId: "installation-1", snapshots: [], ledger: "none" }, (batch) =>
        batch.write("usage", [0, 1, 2, 3, 4].map(event)),
      )
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ outcomes: [{ outcome: "rejected", firstIndex: 3, records: 1 }] });
  });

  it("stay two where two are equal, over two restarts", async () => {
    const { server } = harness;
    const event = { generic: { sourceActorId: "a", lastActivity: new Date("2026-01-01T00:00:00Z") } };
    server.scripts.SyncRecords = [
      undefined,
      { code: UNAVAILABLE },
      undefined,
      { code: UNAVAILABLE },
      undefined,
    ];
    const written: number[] = [];
    const receipt = await harness
      .client({ messageBytes: 1, retry: { retries: 0 } })
      .run({ installationId: "installation-1", snapshots: [], ledger: "none" }, async (batch, { number }) => {
        written.push(number);
        await batch.write("externallyDiscoveredUsage", [event, event, event]);
      });
    expect(written).toEqual([1, 2, 3]);
    expect(receipt.collections.externallyDiscoveredUsage).toMatchObject({ sent: 1, leftOut: 2 });
    expect(server.streams).toHaveLength(5);
  });

  it("are not taken for those of another collection whose bytes are the same", async () => {
    const { server } = harness;
    const lastActivity = new Date("2026-01-01T00:00:00Z");
    server.scripts.SyncRecords = [undefined, { code: UNAVAILABLE }];
    const receipt = await harness
      .client({ retry: { retries: 0 } })
      .run({ installationId: "installation-1", snapshots: [], ledger: "none" }, async (batch, { number }) => {
        const discovered = { sourceActorId: "a", actorEmail: "b@example.com", lastActivity };
        if (number === 1) await batch.write("externallyDiscoveredUsage", [{ generic: discovered }]);
        await batch.write("usage", [{ generic: { id: "a", sourceActorId: "b@example.com", lastActivity } }]);
      });
    expect(receipt.collections.usage).toMatchObject({ sent: 1, leftOut: 0 });
  });
});

describe("the memory of accepted events", () => {
  it("remembers only what a further attempt may ask for", () => {
    const [event, message] = oneEvent();
    const never = new AcceptedEvents(0);
    never.accepted("usage", message);
    never.nextAttempt();
    expect(never.take("usage", event, 0, event.length)).toBe(false);

    const once = new AcceptedEvents(1);
    once.accepted("usage", message);
    expect(once.take("usage", event, 0, event.length)).toBe(false);
    once.nextAttempt();
    expect(once.take("usage", event, 0, event.length)).toBe(true);
    expect(once.take("usage", event, 0, event.length)).toBe(false);
    once.accepted("usage", message);
    once.nextAttempt();
    expect(once.take("usage", event, 0, event.length)).toBe(true);
    expect(once.take("usage", event, 0, event.length)).toBe(false);
  });
});

/** An event's bytes, and the message that holds it alone. */
function oneEvent(): readonly [Uint8Array, EncodedMessage] {
  const { fieldNumber } = COLLECTIONS.usage;
  const encoder = ENCODERS.usage;
  const builder = new MessageBuilder("batch-1", fieldNumber, 1000);
  builder.encode({ generic: { id: "e", sourceActorId: "a", lastActivity: new Date(0) } }, encoder);
  const event = Uint8Array.from(builder.buffer.subarray(builder.recordStart, builder.recordEnd));
  builder.keep(0);
  return [event, builder.flush()];
}
