import { type ReferenceServer, startReferenceServer, TestClock } from "@saas-management/sdk/reference-server";
import type { CollectionName, RecordOf } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { messageType, recordType } from "../support/contract.js";
import { COLLECTION_NAMES, RECORDS } from "../support/record-arbitraries.js";
import { accounts } from "../support/sync-harness.js";
import { certificateFile, identity } from "../support/tls-certificates.js";
import { ofInput } from "../support/wire-form.js";
import { type Outcome, PythonClient, recordsRequest } from "./python-client.js";
import { compileDescriptors, type Descriptors, skipped, whySkipped } from "./python-program.js";

const MIB = 1024 * 1024;
const STARTUP_MS = 60_000;
const LEASE_MS = 15 * 60_000;

describe.skipIf(skipped)(`a client on python3-grpcio against the reference server${whySkipped}`, () => {
  let descriptors: Descriptors;
  let server: ReferenceServer;
  let client: PythonClient;

  beforeAll(async () => {
    descriptors = await compileDescriptors();
    server = await startReferenceServer({ clock: new TestClock({ startAt: Date.UTC(2026, 5, 1) }) });
    client = new PythonClient(descriptors, new URL(server.syncUrl).host, server.apiKey);
  }, STARTUP_MS);
  afterAll(async () => {
    await client?.stop();
    await server?.close();
    await descriptors?.remove();
  });

  let installationId: string;
  beforeEach(() => {
    // An installation for each test: its lock is free and it holds nothing.
    installationId = server.createInstallation();
  });

  const inspect = () => server.inspect(installationId);

  async function started(): Promise<string> {
    const { answer } = await client.start(installationId);
    return String(answer?.["batchId"]);
  }

  it("starts a batch, sends records of all twelve collections, completes it, and all of them are there", async () => {
    const batchId = await started();
    const sent = new Map<CollectionName, readonly RecordOf<CollectionName>[]>();
    for (const collection of COLLECTION_NAMES) {
      const records = sample(collection);
      sent.set(collection, records);
      const half = Math.floor(records.length / 2);
      const requests = [records.slice(0, half), records.slice(half)].map((some) =>
        recordsRequest(batchId, collection, some),
      );
      await expect(client.sync(requests)).resolves.toEqual(ok({ acceptedRecords: String(records.length) }));
    }
    const { code, answer } = await client.complete(batchId);
    expect(code).toBe("OK");
    expect(answer?.["snapshots"]).toHaveLength(7);
    expect(answer?.["events"]).toHaveLength(5);
    const { snapshots, events } = inspect();
    const stored: Readonly<Record<string, readonly unknown[]>> = {
      ...Object.fromEntries(
        Object.entries(snapshots).map(([name, all]) => [name, all.map(({ record }) => record)]),
      ),
      ...events,
    };
    for (const [collection, records] of sent) {
      const type = recordType(collection);
      expect(stored[collection]?.map((r) => ofInput(type, r))).toStrictEqual(
        records.map((r) => ofInput(type, r)),
      );
    }
  });

  it("registers an empty snapshot, which removes what was there", async () => {
    const first = await started();
    await client.sync([recordsRequest(first, "accounts", accounts(2))]);
    await client.complete(first);
    const second = await started();
    await expect(client.sync([{ batchId: second, accounts: {} }])).resolves.toEqual(
      ok({ acceptedRecords: "0" }),
    );
    await expect(client.complete(second)).resolves.toEqual(
      ok({ snapshots: [{ collection: "accounts", removed: "2" }] }),
    );
    expect(inspect().snapshots.accounts.every(({ removed }) => removed)).toBe(true);
  });

  it("counts what a snapshot added, updated and removed, and the events", async () => {
    const first = await started();
    await client.sync([recordsRequest(first, "accounts", accounts(3))]);
    await client.complete(first);
    const second = await started();
    const usage = [{ generic: { id: "e1", sourceActorId: "u0", lastActivity: new Date(0) } }];
    await client.sync([
      recordsRequest(second, "accounts", [...accounts(2), { generic: { id: "new" } }]),
      recordsRequest(second, "usage", usage),
    ]);
    await expect(client.complete(second)).resolves.toEqual(
      ok({
        snapshots: [{ collection: "accounts", added: "1", updated: "2", removed: "1" }],
        events: [{ collection: "usage", accepted: "1" }],
      }),
    );
  });

  it("sends a message of 16 MiB − 1, and none larger", async () => {
    const batchId = await started();
    const request = (name: string) => recordsRequest(batchId, "accounts", [{ generic: { id: "a", name } }]);
    const type = messageType("SyncRecordsRequest");
    const bytes = (name: string) => type.encode(type.fromObject(request(name))).finish().length;
    // Lengths from 2 MiB to 256 MiB take four bytes each.
    const rest = bytes("n".repeat(2 * MIB)) - 2 * MIB;
    const largest = "n".repeat(16 * MIB - 1 - rest);
    expect(bytes(largest)).toBe(16 * MIB - 1);
    await expect(client.sync([request(largest)])).resolves.toEqual(ok({ acceptedRecords: "1" }));
    await expect(client.sync([request(`${largest}n`)])).resolves.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
    await client.abort(batchId);
  });

  it("sends compressed messages", async () => {
    const batchId = await started();
    const request = recordsRequest(batchId, "accounts", accounts(2000, 1000));
    await expect(client.sync([request], { gzip: true })).resolves.toEqual(ok({ acceptedRecords: "2000" }));
    await expect(client.complete(batchId, { gzip: true })).resolves.toMatchObject({ code: "OK" });
    expect(inspect().snapshots.accounts).toHaveLength(2000);
  });

  it("reaches it over TLS", async () => {
    const tls = identity("self-signed");
    const secure = await startReferenceServer({ tls });
    onTestFinished(() => secure.close());
    const target = `localhost:${new URL(secure.syncUrl).port}`;
    const other = new PythonClient(descriptors, target, secure.apiKey, [
      "--ca",
      certificateFile("self-signed"),
    ]);
    onTestFinished(() => other.stop());
    await expect(other.start(secure.installationId)).resolves.toMatchObject({ code: "OK" });
  });

  describe("a batch that has ended:", () => {
    const endings: readonly [string, (batchId: string) => unknown][] = [
      ["completed", (batchId) => client.complete(batchId)],
      ["aborted", (batchId) => client.abort(batchId)],
      ["expired", () => server.clock.advance(LEASE_MS)],
    ];

    it.each(endings)(
      "one that is %s refuses records and completion, and says what it is",
      async (state, end) => {
        const batchId = await started();
        await end(batchId);
        const refused = { code: "FAILED_PRECONDITION", answer: null, trailers: { "batch-state": state } };
        await expect(client.sync([recordsRequest(batchId, "accounts", accounts(1))])).resolves.toMatchObject(
          refused,
        );
        await expect(client.complete(batchId)).resolves.toMatchObject(refused);
        await expect(client.start(installationId)).resolves.toMatchObject({ code: "OK" });
      },
    );

    it("an abort may be repeated, and comes too late for a newer batch", async () => {
      const old = await started();
      await expect(client.abort(old)).resolves.toEqual(ok({}));
      const newer = await started();
      await expect(client.abort(old)).resolves.toEqual(ok({}));
      expect(inspect().lock?.batchId).toBe(newer);
    });

    it("one that is completed is not aborted", async () => {
      const batchId = await started();
      await client.complete(batchId);
      await expect(client.abort(batchId)).resolves.toMatchObject({
        code: "FAILED_PRECONDITION",
        trailers: { "batch-state": "completed" },
      });
    });
  });

  describe("what is refused:", () => {
    it("a start while another batch holds the lock", async () => {
      await started();
      await expect(client.start(installationId)).resolves.toMatchObject({
        code: "ALREADY_EXISTS",
        answer: null,
      });
    });

    it.each([
      ["without a credential", () => undefined, "UNAUTHENTICATED"],
      ["with an unknown key", () => "ApiKey nobody", "UNAUTHENTICATED"],
      ["with a key without its scheme", () => server.apiKey, "UNAUTHENTICATED"],
      [
        "with a key that may only read",
        () => `ApiKey ${server.createApiKey({ scope: "read" })}`,
        "PERMISSION_DENIED",
      ],
      [
        "without integration:sync",
        () => `ApiKey ${server.createApiKey({ permissions: [] })}`,
        "PERMISSION_DENIED",
      ],
      [
        "with another workspace's key",
        () => `ApiKey ${server.createApiKey({ workspace: server.createWorkspace("other") })}`,
        "PERMISSION_DENIED",
      ],
    ])("every call %s", async (_, authorization, code) => {
      const batchId = await started();
      const settings = { authorization: authorization() };
      const calls = [
        client.start(installationId, settings),
        client.sync([recordsRequest(batchId, "accounts", accounts(1))], settings),
        client.complete(batchId, settings),
        client.abort(batchId, settings),
      ];
      for (const call of calls) await expect(call).resolves.toMatchObject({ code, answer: null });
      expect(inspect().lock?.batchId).toBe(batchId);
    });

    it("requests without an id, or with one that does not exist", async () => {
      for (const call of ["StartSyncBatch", "CompleteSyncBatch", "AbortSyncBatch"]) {
        await expect(client.call(call, [{}])).resolves.toMatchObject({ code: "INVALID_ARGUMENT" });
      }
      await expect(client.complete("no batch")).resolves.toMatchObject({ code: "NOT_FOUND" });
      await expect(client.abort("no batch")).resolves.toMatchObject({ code: "NOT_FOUND" });
    });

    it.each<[string, Readonly<Record<string, unknown>>]>([
      ["without a collection", {}],
      ["with a record without a variant", { accounts: { records: [{}] } }],
      ["with a record without its id", { accounts: { records: [{ generic: { name: "Ada" } }] } }],
      [
        "with a license that does not say whether it is billable",
        {
          licenses: { records: [{ generic: { sourceId: "l", sourceAccountId: "a", sourcePlanId: "p" } }] },
        },
      ],
    ])("a message %s; the messages before it on the stream stay", async (_, invalid) => {
      const batchId = await started();
      const requests = [recordsRequest(batchId, "accounts", accounts(2)), { batchId, ...invalid }];
      await expect(client.sync(requests)).resolves.toMatchObject({ code: "INVALID_ARGUMENT", answer: null });
      expect(inspect().snapshots.accounts).toHaveLength(2);
    });

    it("a stream that is refused at its first message is told so, although much more is on its way", async () => {
      const request = recordsRequest("no batch", "accounts", accounts(1000, 1000));
      await expect(client.sync(Array(20).fill(request))).resolves.toMatchObject({ code: "NOT_FOUND" });
    });
  });
});

/** A call that succeeded with this answer, and without trailers. */
function ok(answer: Readonly<Record<string, unknown>>): Outcome {
  return { code: "OK", details: "OK", trailers: {}, answer };
}

/** Random records of a collection, with ids that differ. */
function sample(collection: CollectionName): readonly RecordOf<CollectionName>[] {
  const record: fc.Arbitrary<RecordOf<CollectionName>> = RECORDS[collection];
  const distinct = fc.uniqueArray(record, { minLength: 30, maxLength: 40, selector: idOf });
  return fc.sample(distinct, { seed: 2, numRuns: 1 }).flat();
}

function idOf(record: object): string {
  const [details] = Object.values(record).filter((variant) => variant !== undefined);
  return String(details.id ?? details.sourceId ?? details.sourceActorId);
}
