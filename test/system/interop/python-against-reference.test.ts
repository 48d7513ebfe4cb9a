import type { Collection, RecordOf } from "@saas-management/sdk";
import { type ReferenceServer, startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { messageType, recordType } from "../../support/contract.js";
import { COLLECTION_NAMES, RECORDS } from "../../support/record-arbitraries.js";
import { accounts } from "../../support/records.js";
import { certificateFile, identity } from "../../support/tls-certificates.js";
import { ofInput } from "../../support/wire-form.js";
import { type Outcome, PythonClient, recordsRequest } from "./python-client.js";
import { compileDescriptors, type Descriptors, skipped, whySkipped } from "./python-program.js";

const MIB = 1024 * 1024;
const STARTUP_MS = 60_000;
const LEASE_MS = 15 * 60_000;

describe.skipIf(skipped)(`the reference server with a python3-grpcio client${whySkipped}`, () => {
  let descriptors: Descriptors;
  let server: ReferenceServer;
  let client: PythonClient;

  beforeAll(async () => {
    descriptors = await compileDescriptors();
    server = await startReferenceServer({
      clock: new TestClock({ startAt: new Date(Date.UTC(2026, 5, 1)) }),
    });
    client = new PythonClient(descriptors, new URL(server.syncUrl).host, server.apiKey);
  }, STARTUP_MS);
  afterAll(async () => {
    await client?.stop();
    await server?.close();
    await descriptors?.remove();
  });

  let installationId: string;
  beforeEach(() => {
    installationId = server.createInstallation();
  });

  async function start(): Promise<string> {
    const { answer } = await client.start(installationId);
    return String(answer?.["batchId"]);
  }

  test("accepts records of all collections and stores them unchanged", async () => {
    const batchId = await start();
    const sent = new Map<Collection, readonly RecordOf<Collection>[]>();
    for (const collection of COLLECTION_NAMES) {
      const records = sample(collection);
      sent.set(collection, records);
      const half = Math.floor(records.length / 2);
      const requests = [records.slice(0, half), records.slice(half)].map((some) =>
        recordsRequest(batchId, collection, some),
      );
      expect(await client.sync(requests)).toEqual(ok({ acceptedRecords: String(records.length) }));
    }
    const { code, answer } = await client.complete(batchId);
    expect([code, answer?.["snapshots"], answer?.["events"]]).toMatchObject([
      "OK",
      { length: 7 },
      { length: 5 },
    ]);
    const { snapshots } = server.inspect(installationId);
    const stored: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
      Object.entries(snapshots).map(([name, all]) => [name, all.map(({ record }) => record)]),
    );
    for (const [collection, records] of sent) {
      const type = recordType(collection);
      const forms = (all: readonly unknown[] | undefined) => all?.map((record) => ofInput(type, record));
      expect(forms(stored[collection])).toStrictEqual(forms(records));
    }
  });

  test("accepts a message of 16 MiB - 1 and refuses a larger one", async () => {
    const batchId = await start();
    const request = (name: string) => recordsRequest(batchId, "accounts", [{ id: "a", name }]);
    const type = messageType("SyncRecordsRequest");
    const bytes = (name: string) => type.encode(type.fromObject(request(name))).finish().length;
    // The length prefixes of 2 MiB to 256 MiB take four bytes each.
    const rest = bytes("n".repeat(2 * MIB)) - 2 * MIB;
    const largest = "n".repeat(16 * MIB - 1 - rest);
    expect(bytes(largest)).toBe(16 * MIB - 1);
    expect(await client.sync([request(largest)])).toEqual(ok({ acceptedRecords: "1" }));
    expect(await client.sync([request(`${largest}n`)])).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    await client.abort(batchId);
  });

  test("accepts compressed messages", async () => {
    const batchId = await start();
    const request = recordsRequest(batchId, "accounts", accounts(2000, 1000));
    expect(await client.sync([request], { gzip: true })).toEqual(ok({ acceptedRecords: "2000" }));
    expect(await client.complete(batchId, { gzip: true })).toMatchObject({ code: "OK" });
  });

  test("serves over TLS", async () => {
    const secure = await startReferenceServer({ tls: identity("self-signed") });
    onTestFinished(() => secure.close());
    const target = `localhost:${new URL(secure.syncUrl).port}`;
    const ca = ["--ca", certificateFile("self-signed")];
    const other = new PythonClient(descriptors, target, secure.apiKey, ca);
    onTestFinished(() => other.stop());
    expect(await other.start(secure.installationId)).toMatchObject({ code: "OK" });
  });

  test.each<[state: string, end: (batchId: string) => unknown]>([
    ["completed", (batchId) => client.complete(batchId)],
    ["aborted", (batchId) => client.abort(batchId)],
    ["expired", () => server.clock.advance(LEASE_MS)],
  ])("refuses records and completion of a batch that is %s", async (state, end) => {
    const batchId = await start();
    await end(batchId);
    const refused = { code: "FAILED_PRECONDITION", answer: null, trailers: { "batch-state": state } };
    expect(await client.sync([recordsRequest(batchId, "accounts", accounts(1))])).toMatchObject(refused);
    expect(await client.complete(batchId)).toMatchObject(refused);
    expect(await client.abort(batchId)).toMatchObject(state === "completed" ? refused : ok({}));
    expect(await client.start(installationId)).toMatchObject({ code: "OK" });
    expect(await client.start(installationId)).toMatchObject({ code: "ALREADY_EXISTS", answer: null });
  });
});

/** A call that succeeded without trailers. */
function ok(answer: Readonly<Record<string, unknown>>): Outcome {
  return { code: "OK", details: "OK", trailers: {}, answer };
}

/** Records of a collection, all with different ids. */
function sample(collection: Collection): readonly RecordOf<Collection>[] {
  const record: fc.Arbitrary<RecordOf<Collection>> = RECORDS[collection];
  const distinct = fc.uniqueArray(record, { minLength: 30, maxLength: 40, selector: idOf });
  return fc.sample(distinct, { seed: 2, numRuns: 1 }).flat();
}

function idOf(record: object): string {
  // The id is in the record itself or in its variant: no other object has an id.
  const fields = [record, ...Object.values(record)].find((value) => idIn(value) !== undefined);
  return String(idIn(fields));
}

function idIn(value: unknown): unknown {
  const { id, sourceId, sourceActorId }: Readonly<Record<string, unknown>> = Object(value);
  return id ?? sourceId ?? sourceActorId;
}
