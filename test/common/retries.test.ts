import { SaasManagementError, TestClock, TimeoutError, TransportError } from "@saas-management/sdk";
import { describe, expect, it } from "vitest";
import { connectClient, passPause, rejection } from "../support/http-client.js";
import { json, type Responder } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const START = { installationId: "installation-1" };
const LOST = { code: 14, details: "connection dropped" };
const QUERY = "query Names { applications { nodes { id } } }";
const MUTATION = "mutation Touch { touch }";
const unavailable: Responder = (_, response) => json(response, {}, { status: 503 });

/** Holds back the answers to starts after the first few, until it is called: a client that is closed waits for them. */
function holdStarts(after: number): () => void {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let starts = 0;
  harness.server.beforeStart = () => {
    starts += 1;
    return starts > after ? answered : Promise.resolve();
  };
  return answer;
}

/** The number of attempts is what the server saw, and the reason why there was no other. */
function ending(stoppedBecause: string, attempts: number) {
  return { stoppedBecause, attempts };
}

describe("an error of GraphQL says how many attempts were made and why it was the last", () => {
  it("where another would be of no use", async () => {
    const { client } = await connectClient((_, response) => json(response, {}, { status: 403 }));
    expect(await rejection(client.request(QUERY))).toMatchObject(ending("not-retryable", 1));
  });

  it("where the retries are used up, or there are none", async () => {
    const { client, clock } = await connectClient(unavailable);
    const error = rejection(client.request(QUERY, {}, { retry: { retries: 2 } }));
    await passPause(clock);
    await passPause(clock);
    expect(await error).toMatchObject(ending("retries-exhausted", 3));
    for (const retry of [false, { retries: 0 }] as const) {
      const once = await rejection(client.request(QUERY, {}, { retry }));
      expect(once).toMatchObject(ending("retries-exhausted", 1));
    }
  });

  it("where the pause would be longer than the time that is left", async () => {
    const { client } = await connectClient(unavailable);
    const retry = { minDelayMs: 1e15, maxDelayMs: 1e15 };
    const error = await rejection(client.request(QUERY, {}, { retry }));
    expect(error).toMatchObject({ ...ending("deadline", 1), code: "TRANSPORT_FAILED" });
  });

  it("where the service asks to wait longer than that", async () => {
    const { client } = await connectClient((_, response) =>
      json(response, {}, { status: 503, headers: { "retry-after": "100" } }),
    );
    const error = await rejection(client.request(QUERY));
    expect(error).toMatchObject({
      ...ending("retry-after-exceeds-deadline", 1),
      retryAfterMs: 100_000,
    });
  });

  it("where the time is up, with the last failure as the cause", async () => {
    const { client, clock, server } = await connectClient((request, response, index) => {
      if (index === 0) unavailable(request, response, index);
    });
    const error = rejection(client.request(QUERY));
    await passPause(clock);
    await server.arrived(2);
    clock.advance(100_000);
    expect(await error).toBeInstanceOf(TimeoutError);
    expect(await error).toMatchObject({ ...ending("deadline", 2), cause: { status: 503 } });
  });

  it("where the time is up during a pause", async () => {
    const { client, clock, server } = await connectClient((_, response) =>
      json(response, {}, { status: 503, headers: { "retry-after": "99" } }),
    );
    const error = rejection(client.request(QUERY));
    await until(() => clock.sleeping === 2);
    // As on a machine that was suspended: pause and time end together.
    clock.advance(1_000_000);
    expect(await error).toMatchObject({ code: "TIMEOUT", stoppedBecause: "deadline" });
    expect(await error).toHaveProperty("cause.status", 503);
    expect(server.requests).toHaveLength(1);
  });

  it("and nothing of it where the caller ended the call with an error of another one", async () => {
    const { client, server } = await connectClient(() => {});
    const stop = new AbortController();
    const reason = new TransportError("of something else");
    const error = rejection(client.request(QUERY, {}, { signal: stop.signal }));
    await server.arrived(1);
    stop.abort(reason);
    expect(await error).toBe(reason);
    expect(reason.stoppedBecause).toBeUndefined();
  });
});

describe("an error of the Sync API says how many attempts were made and why it was the last", () => {
  it("where another would be of no use", async () => {
    harness.server.scripts.StartSyncBatch.push({ code: 7, details: "no" });
    expect(await rejection(harness.startBatch())).toMatchObject(ending("not-retryable", 1));
  });

  it("where the retries are used up, or there are none", async () => {
    const lost = Array.from({ length: 5 }, () => LOST);
    harness.server.scripts.StartSyncBatch.push(...lost);
    expect(await rejection(harness.startBatch())).toMatchObject(ending("retries-exhausted", 3));
    for (const retry of [false, { retries: 0 }] as const) {
      expect(await rejection(harness.startBatch({ retry }))).toMatchObject(ending("retries-exhausted", 1));
    }
    expect(harness.server.calls).toHaveLength(5);
  });

  it("where the time is up, with the last failure as the cause", async () => {
    const clock = new TestClock({ startAt: 0 });
    const { hooks, retries } = observedHooks();
    harness.server.scripts.StartSyncBatch.push(LOST);
    const answer = holdStarts(1);
    const error = rejection(harness.startBatch({ clock, ...hooks, timeoutMs: 5_000 }));
    await until(() => retries.length === 1);
    clock.advance(1);
    await until(() => harness.server.calls.length === 2);
    clock.advance(5_000);
    answer();
    expect(await error).toMatchObject({ ...ending("deadline", 2), code: "TIMEOUT" });
    expect(await error).toHaveProperty("cause.grpcStatus", "UNAVAILABLE");
  });
});

describe("a TimeoutError is retryable", () => {
  it.each([
    ["for a query", QUERY, {}, true],
    ["not for a mutation", MUTATION, {}, false],
    ["for a mutation that is idempotent", MUTATION, { idempotent: true }, true],
    ["not for a document that cannot be read", "query on on {", {}, false],
  ])("%s", async (_, document, options, retryable) => {
    const { client, clock, server } = await connectClient(() => {});
    const error = rejection(client.request(document, {}, options));
    await server.arrived(1);
    clock.advance(100_000);
    expect(await error).toMatchObject({ code: "TIMEOUT", retryable, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("not for a start or a write, which may have been done, but for an abort, which may be repeated", async () => {
    const clock = new TestClock({ startAt: 0 });
    const { scripts, calls, streams } = harness.server;
    const options = { clock, retry: false } as const;
    const answer = holdStarts(0);
    const start = rejection(harness.startBatch(options));
    await until(() => calls.length === 1);
    clock.advance(100_000);
    answer();
    expect(await start).toMatchObject({ code: "TIMEOUT", retryable: false });
    await until(() => calls.includes("AbortSyncBatch"));
    const batch = await harness.startBatch(options);
    scripts.SyncRecords.push("never");
    const write = rejection(batch.write("accounts", accounts(1)));
    await until(() => streams.length === 1);
    clock.advance(100_000);
    expect(await write).toMatchObject({ code: "TIMEOUT", retryable: false });
    scripts.AbortSyncBatch.push("never");
    const abort = rejection(batch.abort());
    await until(() => calls.filter((call) => call === "AbortSyncBatch").length === 2);
    clock.advance(100_000);
    expect(await abort).toMatchObject({ code: "TIMEOUT", retryable: true });
  });
});

describe("the retries of one client share a budget", () => {
  /** Lets time pass until nothing is under way any more. */
  async function settle(clock: TestClock, promises: readonly Promise<unknown>[]): Promise<unknown[]> {
    const errors = Promise.all(promises.map(rejection));
    let settled = false;
    const done = errors.finally(() => {
      settled = true;
    });
    while (!settled) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1);
    }
    return done;
  }

  const isCut = (error: unknown) =>
    error instanceof SaasManagementError && error.stoppedBecause === "budget-exhausted";
  const many = (count: number, start: () => Promise<unknown>) => Array.from({ length: count }, start);
  const retry = { retries: 4, minDelayMs: 1, maxDelayMs: 1 };
  const timeoutMs = 1e9;

  it("of 100 without a success, so that a server that fails for all of them is not hammered", async () => {
    const { client, clock, server } = await connectClient(unavailable, { retry, timeoutMs });
    const errors = await settle(
      clock,
      many(60, () => client.request(QUERY)),
    );
    expect(server.requests).toHaveLength(60 + 100);
    const attempts = errors.map((error) => (error instanceof SaasManagementError ? error.attempts : 0));
    expect(attempts.reduce((sum, count) => sum + count)).toBe(160);
    const cut = errors.filter(isCut);
    expect(cut.length).toBeGreaterThan(0);
    expect(cut[0]).toMatchObject({ code: "TRANSPORT_FAILED", status: 503 });
  });

  it("which 25 operations that fail with the default retries do not exceed", async () => {
    const { client, clock } = await connectClient(unavailable, { retry, timeoutMs });
    for (let count = 0; count < 25; count++) {
      expect((await settle(clock, [client.request(QUERY)]))[0]).toMatchObject(ending("retries-exhausted", 5));
    }
    expect((await settle(clock, [client.request(QUERY)]))[0]).toMatchObject(ending("budget-exhausted", 1));
  });

  it("which retries that succeed never use up", async () => {
    const { client } = await connectClient(
      (request, response, index) =>
        index % 2 === 0 ? unavailable(request, response, index) : json(response, { data: { ok: true } }),
      { retry, clock: new TestClock() },
    );
    for (let count = 0; count < 130; count++) {
      expect(await client.request(QUERY)).toEqual({ ok: true });
    }
  });

  it("which successes fill up again: five pay for one retry", async () => {
    let failing = true;
    const { client, clock } = await connectClient(
      (request, response, index) =>
        failing ? unavailable(request, response, index) : json(response, { data: { ok: true } }),
      { retry, timeoutMs },
    );
    await settle(
      clock,
      many(30, () => client.request(QUERY)),
    );
    failing = false;
    for (let count = 0; count < 5; count++) await client.request(QUERY);
    failing = true;
    expect((await settle(clock, [client.request(QUERY)]))[0]).toMatchObject(ending("budget-exhausted", 2));
  });

  it("also over the Sync API, and apart from that of another client", async () => {
    harness.server.scripts.StartSyncBatch.push(...Array.from({ length: 120 }, () => LOST));
    const client = harness.client({ retry: { ...retry, retries: 15 } });
    const errors = await Promise.all(many(9, () => client.startBatch(START)).map(rejection));
    expect(harness.server.calls).toHaveLength(9 + 100);
    expect(errors.filter(isCut).length).toBeGreaterThan(0);
    expect(await rejection(harness.startBatch())).toMatchObject(ending("retries-exhausted", 3));
  });
});
