import { InvalidInputError, type SyncBatch, type SyncClient, TimeoutError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { connectorOf } from "../support/connector.js";
import { rejection, until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { expectStack } from "../support/stacks.js";
import { START } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const FILE = "call-site.test.ts";
const REFUSAL = { code: 3, details: "no" };
const RUN = { ...START, ledger: "none" } as const;
const NOTHING = { snapshots: [], run: async () => {} };

/** The function that must be in the stack: the only function between the test and the SDK. */
async function programOfTheUser(call: () => Promise<unknown>): Promise<unknown> {
  return await call();
}

/** Calls without await, like a program that uses then and catch. */
function programWithoutAwait(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    () => undefined,
    (error: unknown) => error,
  );
}

type BatchCall = (batch: SyncBatch) => Promise<unknown>;
type ClientCall = (client: SyncClient) => Promise<unknown>;

/** A call, and the operation that the service refuses. */
const BATCH_CALLS: readonly (readonly [
  string,
  "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
  BatchCall,
])[] = [
  ["write", "SyncRecords", (batch) => batch.write("accounts", accounts(1))],
  ["complete", "CompleteSyncBatch", (batch) => batch.complete()],
  ["abort", "AbortSyncBatch", (batch) => batch.abort()],
  ["seal", "SyncRecords", (batch) => batch.writer("accounts").end()],
];

const CLIENT_CALLS: readonly (readonly [string, ClientCall])[] = [
  ["startBatch", (client) => client.startBatch(START)],
  ["run", (client) => client.run(NOTHING, { ...RUN, retryForMs: 0 })],
];

test.each(BATCH_CALLS)("the stack of a rejected %s leads to the caller", async (_, operation, call) => {
  for (const program of [programOfTheUser, programWithoutAwait]) {
    const batch = await harness.startBatch();
    harness.server.scripts[operation].push(REFUSAL);
    expectStack(await program(() => call(batch)).catch((e: unknown) => e), FILE, program.name);
  }
});

test.each(CLIENT_CALLS)("the stack of a rejected %s leads to the caller", async (_, call) => {
  for (const program of [programOfTheUser, programWithoutAwait]) {
    harness.server.scripts.StartSyncBatch.push(REFUSAL);
    expectStack(await program(() => call(harness.client())).catch((e: unknown) => e), FILE, program.name);
  }
});

test.each(CLIENT_CALLS)("the stack of a %s ended by a timer leads to the caller", async (_, call) => {
  const clock = new TestClock({ startAt: new Date(0) });
  harness.server.scripts.StartSyncBatch.push("never");
  const client = harness.client({ clock, retry: false });
  const error = rejection(programOfTheUser(() => call(client)));
  await until(() => harness.server.calls.length > 0);
  clock.advance(100_000);
  expect(await error).toBeInstanceOf(TimeoutError);
  expectStack(await error, FILE, "programOfTheUser");
  const closed = client.close();
  clock.advance(5000);
  await closed;
});

test("the stack of a rejected write in a run leads to the write and to the run", async () => {
  const client = harness.client();
  const connector = connectorOf(["accounts"], (batch) =>
    programOfTheUser(() => batch.write("accounts", [{ id: "" }])),
  );
  const runOfTheUser = async () => await client.run(connector, RUN);
  const error = await rejection(runOfTheUser());
  expectStack(error, FILE, "programOfTheUser");
  expectStack(error, FILE, "runOfTheUser");
});

test("when a closed handle ends several writes, each error's stack leads to the caller of its write", async () => {
  const batch = await harness.startBatch();
  harness.server.scripts.SyncRecords.push("never");
  const firstOfTheUser = async () => await batch.write("accounts", accounts(1));
  const secondOfTheUser = async () => await batch.write("plans", []);
  const ends = [rejection(firstOfTheUser()), rejection(secondOfTheUser())];
  await until(() => harness.server.streams.length > 0);
  batch.close();
  const [first, second] = await Promise.all(ends);
  expectStack(first, FILE, "firstOfTheUser");
  expectStack(second, FILE, "secondOfTheUser");
  expect(first).toHaveProperty("stack", expect.not.stringContaining("secondOfTheUser"));
});

const untouched = new InvalidInputError("changed my mind");
const aborted = AbortSignal.abort(untouched);
const REASONS: readonly (readonly [string, BatchCall])[] = [
  ["startBatch", () => harness.startBatch({}, { signal: aborted })],
  ["write", (batch) => batch.write("accounts", accounts(1), { signal: aborted })],
  ["push", (batch) => batch.writer("accounts", { signal: aborted }).write(accounts(1))],
  ["seal", (batch) => batch.writer("accounts", { signal: aborted }).end()],
  ["run", () => harness.client().run(NOTHING, { ...RUN, signal: aborted })],
];
test.each(REASONS)("does not change the stack of the signal's reason that aborted a %s", async (_, call) => {
  const { stack } = untouched;
  const batch = await harness.startBatch();
  expect(await rejection(programOfTheUser(() => call(batch)))).toBe(untouched);
  expect(untouched.stack).toBe(stack);
});

test("doesn't change the stack of an exception that a source or a run function throws", async () => {
  const own = new Error("the disk is full");
  const { stack } = own;
  async function* source() {
    yield accounts(1);
    throw own;
  }
  const batch = await harness.startBatch();
  expect(await rejection(programOfTheUser(() => batch.write("accounts", source())))).toBe(own);
  const run = () => harness.client().run({ snapshots: [], run: () => Promise.reject(own) }, RUN);
  expect(await rejection(programOfTheUser(run))).toBe(own);
  expect(own.stack).toBe(stack);
});

test("a writer's write that nobody awaits is not an unhandled rejection", async () => {
  const batch = await harness.startBatch();
  const users = batch.writer("accounts");
  void users.write({ id: "", name: "nobody" });
  await expect(users.end()).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
