import type {
  Collection,
  EventCollection,
  RecordOf,
  RunBatch,
  RunReceipt,
  SnapshotCollection,
  SyncBatch,
  SyncClient,
  SyncProgress,
} from "@saas-management/sdk";
import { expectTypeOf, test } from "vitest";
import { employee, plan } from "../support/records.js";

/** The compiler checks these; nothing runs. */
declare const batch: SyncBatch;
declare const client: SyncClient;
declare const run: RunBatch<"accounts" | "plans">;

test("types each collection with its record", () => {
  expectTypeOf<RecordOf<"accounts">["id"]>().toEqualTypeOf<string>();
  expectTypeOf<RecordOf<"usage">["lastActivity"]>().toEqualTypeOf<Date | string>();
  expectTypeOf<Collection>().toEqualTypeOf<SnapshotCollection | EventCollection>();
  expectTypeOf<"accounts" | "employees">().toExtend<SnapshotCollection>();
  expectTypeOf<"usage" | "externallyDiscoveredUsage">().toExtend<EventCollection>();
  async function compiled() {
    await batch.write("accounts", [{ id: "a" }]);
    await batch.write("accounts", [[{ id: "a" }]]);
    // @ts-expect-error -- no such collection
    await batch.write("users", []);
    // @ts-expect-error -- a license is not an account
    await batch.write("accounts", [{ sourceId: "l" }]);
    // @ts-expect-error -- the id is required
    await batch.write("accounts", [{ name: "Ada" }]);
    // @ts-expect-error -- an unknown field
    await batch.write("accounts", [{ id: "a", source_id: "b" }]);
    // @ts-expect-error -- not a model
    await batch.write("plans", [{ id: "p", externalPlanName: "P", details: { model: "UNSPECIFIED" } }]);
    await batch.write("accounts", [{ id: "a", name: null, email: undefined, details: null }]);
    // @ts-expect-error -- null for a required field
    await batch.write("accounts", [{ id: null }]);
    // @ts-expect-error -- a generic record is written flat
    await batch.write("accounts", [{ generic: { id: "a" } }]);
    const microsoft = { id: "m", displayName: "M", userPrincipalName: "m" };
    await batch.write("employees", [{ microsoft }, employee("e")]);
    // @ts-expect-error -- a field beside a variant
    await batch.write("employees", [{ id: "e", fullName: "E", microsoft }]);
    // @ts-expect-error -- two variants
    await batch.write("employees", [{ microsoft, google: { id: "g" } }]);
    await batch.writer("plans").write(plan("p"));
    // @ts-expect-error -- an account is not a plan
    await batch.writer("plans").write({ id: "a", name: "A" });
  }
  expectTypeOf(compiled).toBeFunction();
});

test("types a run so that it writes what it declares, and events", () => {
  async function compiled() {
    await run.write("accounts", []);
    await run.write("usage", []);
    // @ts-expect-error -- not declared
    await run.write("employees", []);
    // @ts-expect-error -- the run completes
    await run.complete();
    // @ts-expect-error -- there is no batch of the service yet
    expectTypeOf(run.id).toBeString();
  }
  expectTypeOf(compiled).toBeFunction();
});

test("lets a connector return any promise, and nothing that is not awaited", () => {
  const options = { installationId: "i", ledger: "none" } as const;
  const snapshots = ["accounts"] as const;
  const compiled = () =>
    client.run({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", []) }, options);
  const refused = [
    // @ts-expect-error -- nobody awaits the write
    () => client.run({ snapshots, run: (batch) => void batch.write("accounts", []) }, options),
    // @ts-expect-error -- nobody reads a generator
    () => client.run({ snapshots, run: function* () {} }, options),
    // @ts-expect-error -- nobody awaits the promises of a list
    () => client.run({ snapshots, run: (batch) => [batch.write("accounts", [])] }, options),
    // @ts-expect-error -- not declared
    () => client.run({ snapshots, run: (batch) => batch.write("plans", []) }, options),
  ];
  expectTypeOf(refused).toBeArray();
  expectTypeOf(compiled).returns.resolves.toEqualTypeOf<RunReceipt>();
});

test("tells progress apart by its type", () => {
  const sent = (progress: SyncProgress) => (progress.type === "sending" ? progress.records : undefined);
  expectTypeOf(sent).returns.toEqualTypeOf<number | undefined>();
});
