import type { EventCollection, RecordOf } from "@saas-management/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { COLLECTIONS } from "../../src/sync/collections.js";
import { type EncodedMessage, MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import type { SyncEngine } from "../../src/sync/engine.js";
import { ENCODERS } from "../../src/sync/generated/encoders.js";
import { AcceptedEvents } from "../../src/sync/run/accepted-events.js";
import { connectorOf, type RunFunction } from "../support/connector.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../support/property-runs.js";
import { RECORDS } from "../support/record-arbitraries.js";
import { useScriptedServer } from "../support/scripted-sync-server.js";
import { expectRecords } from "../support/sent-messages.js";

const UNAVAILABLE = { code: 14 };
const RUN = { installationId: "installation-1", ledger: "none" } as const;
const run = (client: SyncEngine, fn: RunFunction<never>) => client.run(connectorOf([], fn), RUN);
const lastActivity = new Date("2026-01-01T00:00:00Z");
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

test("each event is accepted in order and as often as it was written, wherever attempts fail", {
  timeout: TIMEOUT_MS,
}, async () => {
  const position = fc.integer({ min: 0, max: 12 });
  let restarts = 0;
  const property = fc.asyncProperty(
    events,
    fc.integer({ min: 1, max: 1500 }),
    fc.uniqueArray(position, { minLength: 1, maxLength: 2 }),
    async ({ collection, records }, messageBytes, failures) => {
      const { server } = harness;
      server.streams.length = 0;
      server.scripts.SyncRecords = Array.from({ length: Math.max(...failures) + 1 }, (_, i) =>
        failures.includes(i) ? UNAVAILABLE : undefined,
      );
      const client = harness.client({ messageBytes, retry: { retries: 0 } });
      const receipt = await run(client, (batch) => batch.write(collection, records));
      const accepted = server.streams.filter((_, i) => !failures.includes(i));
      const messages = accepted.flatMap((stream) => stream.messages);
      expectRecords(messages, collection, records);
      restarts += receipt.restarts;
    },
  );
  await fc.assert(property, { ...LIMITS, numRuns: RUNS / 6 });
  expect(restarts).toBeGreaterThan(RUNS / 24);
});

test("events keep their indices behind those that were left out", async () => {
  const event = (i: number) => ({ id: `e${i}`, sourceActorId: `a${i}`, lastActivity });
  // One message each: three are accepted, the fourth fails, and the second attempt is refused there.
  const refused = { code: 3, details: "no" };
  harness.server.scripts.SyncRecords = [undefined, undefined, undefined, UNAVAILABLE, refused];
  const client = harness.client({ messageBytes: 1, retry: { retries: 0 } });
  const refusedRun = run(client, (batch) => batch.write("usage", [0, 1, 2, 3, 4].map(event)));
  await expect(refusedRun).rejects.toMatchObject({
    outcomes: [{ outcome: "rejected", firstIndex: 3, records: 1 }],
  });
});

test("events of another collection with the same bytes are not left out", async () => {
  harness.server.scripts.SyncRecords = [undefined, UNAVAILABLE];
  const client = harness.client({ retry: { retries: 0 } });
  const receipt = await run(client, async (batch, { attempt }) => {
    const discovered = { sourceActorId: "a", actorEmail: "b@example.com", lastActivity };
    if (attempt === 1) await batch.write("externallyDiscoveredUsage", [discovered]);
    await batch.write("usage", [{ id: "a", sourceActorId: "b@example.com", lastActivity }]);
  });
  expect(receipt.collections.usage).toMatchObject({ stats: { sent: 1, alreadyAccepted: 0 } });
});

test("an event with an id is not sent again if another field of it changed, and one without is", async () => {
  const record = { sourceActorId: "a", lastActivity };
  // The two collections are accepted, and the snapshot after them fails.
  harness.server.scripts.SyncRecords = [undefined, undefined, UNAVAILABLE];
  const client = harness.client({ retry: { retries: 0 } });
  const receipt = await run(client, async (batch, { attempt }) => {
    const changed = { ...record, sourceActorId: `actor of attempt ${attempt}` };
    await batch.write("usage", [
      { ...changed, id: "e1" },
      { ...changed, id: "e2" },
    ]);
    const found = { ...changed, actorEmail: "b@example.com" };
    await batch.write("externallyDiscoveredUsage", [found, { ...found, sourceActorId: "a" }]);
    await batch.write("auditLogs", []);
  });
  expect(receipt).toMatchObject({
    restarts: 1,
    collections: {
      usage: { stats: { sent: 0, alreadyAccepted: 2 } },
      externallyDiscoveredUsage: { stats: { sent: 1, alreadyAccepted: 1 } },
    },
  });
});

test("two events with one id are both sent, and left out as often as they were accepted", async () => {
  const event = (actor: string) => ({ id: "e1", sourceActorId: actor, lastActivity });
  harness.server.scripts.SyncRecords = [undefined, UNAVAILABLE];
  const client = harness.client({ messageBytes: 1, retry: { retries: 0 } });
  const receipt = await run(client, (batch) => batch.write("usage", [event("a"), event("b")]));
  expect(receipt.collections.usage).toMatchObject({ stats: { sent: 1, alreadyAccepted: 1 } });
});

test("events are remembered only for further attempts, once per acceptance", () => {
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
});

/** The bytes of an event, and a message with it alone. */
function oneEvent(): readonly [Uint8Array, EncodedMessage] {
  const builder = new MessageBuilder("batch-1", COLLECTIONS.usage, 1000);
  builder.encode({ id: "e", sourceActorId: "a", lastActivity: new Date(0) }, ENCODERS.usage);
  const event = Uint8Array.from(builder.buffer.subarray(builder.recordStart, builder.recordEnd));
  builder.keep(0);
  return [event, builder.flush()];
}
