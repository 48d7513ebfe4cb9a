import { TestClock } from "@saas-management/sdk/reference-server";
import {
  ClosedError,
  InvalidInputError,
  type SyncBatch,
  type SyncClient,
  TimeoutError,
} from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { rejection } from "../support/promises.js";
import { expectStack } from "../support/stacks.js";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const FILE = "call-site.test.ts";
const installationId = "installation-1";
const REFUSAL = { code: 3, details: "no" };
const INVALID = { generic: { id: "", name: "nobody" } };

/** The function whose name is looked for: no other leads from the test to the SDK. */
async function programOfTheUser(call: () => Promise<unknown>): Promise<unknown> {
  return await call();
}

/** Does not await, as a program that goes on with then and catch. */
function programWithoutAwait(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The operation that the service refuses, and the call that it fails. */
type RefusedCall = readonly ["SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch", BatchCall];
type BatchCall = (batch: SyncBatch) => Promise<unknown>;
type ClientCall = (client: SyncClient) => Promise<unknown>;

const batchCalls: readonly (readonly [string, ...RefusedCall])[] = [
  ["write", "SyncRecords", (batch) => batch.write("accounts", accounts(1))],
  ["complete", "CompleteSyncBatch", (batch) => batch.complete()],
  ["abort", "AbortSyncBatch", (batch) => batch.abort()],
  ["seal", "SyncRecords", (batch) => batch.open("accounts").seal()],
];

const clientCalls: readonly (readonly [string, ClientCall])[] = [
  ["startBatch", (client) => client.startBatch({ installationId })],
  ["run", (client) => client.run({ installationId, snapshots: [], ledger: "none" }, () => {})],
];

describe.each(batchCalls)("the stack of a rejected %s", (_, operation, call) => {
  it.each([programOfTheUser, programWithoutAwait])("leads to the caller: %o", async (program) => {
    const batch = await harness.startBatch();
    harness.server.scripts[operation].push(REFUSAL);
    const error = await program(() => call(batch)).catch((reason: unknown) => reason);
    expectStack(error, FILE, program.name);
  });
});

describe.each(clientCalls)("the stack of a rejected %s", (_, call) => {
  it.each([programOfTheUser, programWithoutAwait])("leads to the caller: %o", async (program) => {
    harness.server.scripts.StartSyncBatch.push(REFUSAL);
    const error = await program(() => call(harness.client())).catch((reason: unknown) => reason);
    expectStack(error, FILE, program.name);
  });

  it("leads there from the timer that ended it", async () => {
    const clock = new TestClock({ startAt: 0 });
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
});

describe("the stack of a rejected push", () => {
  it("leads to whoever awaits it, and to where the collection was opened", async () => {
    const batch = await harness.startBatch();
    const opensOfTheUser = () => batch.open("accounts");
    const users = opensOfTheUser();
    await users.push(accounts(1));
    const error = await rejection(programOfTheUser(() => users.push(INVALID)));
    expectStack(error, FILE, "programOfTheUser");
    expectStack(error, FILE, "opensOfTheUser");
  });

  it("leads to where the collection was opened, where nobody awaits it", async () => {
    const batch = await harness.startBatch();
    const opensOfTheUser = () => batch.open("accounts");
    const error = await programWithoutAwait(opensOfTheUser().push.bind(undefined, INVALID));
    expectStack(error, FILE, "opensOfTheUser");
  });

  it("notes nothing while pushes are accepted", async () => {
    const batch = await harness.startBatch();
    const users = batch.open("accounts");
    const { captureStackTrace } = Error;
    let noted = 0;
    Error.captureStackTrace = (...parameters) => {
      noted += 1;
      captureStackTrace(...parameters);
    };
    try {
      for (const account of accounts(100)) await users.push(account);
    } finally {
      Error.captureStackTrace = captureStackTrace;
    }
    expect(noted).toBe(0);
  });
});

describe("the stack", () => {
  it("leads to the write of a run's function, and to the run", async () => {
    harness.server.scripts.SyncRecords.push(REFUSAL);
    const client = harness.client();
    const runOfTheUser = async () =>
      await client.run({ installationId, snapshots: ["accounts"], ledger: "none" }, async (batch) => {
        await programOfTheUser(() => batch.write("accounts", accounts(1)));
      });
    const error = await rejection(runOfTheUser());
    expectStack(error, FILE, "programOfTheUser");
    expectStack(error, FILE, "runOfTheUser");
  });

  it("of each write that a closed handle ends leads to its own caller", async () => {
    const batch = await harness.startBatch();
    harness.server.scripts.SyncRecords.push("never");
    const firstOfTheUser = async () => await batch.write("accounts", accounts(1));
    const secondOfTheUser = async () => await batch.write("groups", []);
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
  const reasons: readonly (readonly [string, BatchCall])[] = [
    ["startBatch", () => harness.startBatch({}, { signal: aborted })],
    ["write", (batch) => batch.write("accounts", accounts(1), { signal: aborted })],
    ["push", (batch) => batch.open("accounts", { signal: aborted }).push(accounts(1))],
    ["seal", (batch) => batch.open("accounts", { signal: aborted }).seal()],
    [
      "run",
      () =>
        harness.client().run({ installationId, snapshots: [], ledger: "none", signal: aborted }, () => {}),
    ],
  ];
  it.each(reasons)("of what the caller gave %s up with stays as it is", async (_, call) => {
    const { stack } = untouched;
    const batch = await harness.startBatch();
    expect(await rejection(programOfTheUser(() => call(batch)))).toBe(untouched);
    expect(untouched.stack).toBe(stack);
  });

  it("of a source's and a function's own exception stays as it is", async () => {
    const own = new Error("the disk is full");
    const { stack } = own;
    const client = harness.client();
    async function* source() {
      yield accounts(1);
      throw own;
    }
    const batch = await harness.startBatch();
    expect(await rejection(programOfTheUser(() => batch.write("accounts", source())))).toBe(own);
    const call = () =>
      client.run({ installationId, snapshots: [], ledger: "none" }, () => Promise.reject(own));
    expect(await rejection(programOfTheUser(call))).toBe(own);
    expect(own.stack).toBe(stack);
  });

  it("of calls of a closed client leads to each one's own caller", async () => {
    const client = harness.client();
    await client.close();
    const firstOfTheUser = async () => await client.startBatch({ installationId });
    const secondOfTheUser = async () => await client.startBatch({ installationId });
    const first = await rejection(firstOfTheUser());
    const second = await rejection(secondOfTheUser());
    expect(first).toBeInstanceOf(ClosedError);
    expectStack(first, FILE, "firstOfTheUser");
    expectStack(second, FILE, "secondOfTheUser");
    expect(second).toHaveProperty("stack", expect.not.stringContaining("firstOfTheUser"));
  });
});

it("a push that nobody awaits is no unhandled rejection", async () => {
  const batch = await harness.startBatch();
  const users = batch.open("accounts");
  void users.push(INVALID);
  await expect(users.seal()).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
