import { AuthenticationError } from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSyncClient } from "../../src/runs/engine.js";
import { connectClient, everythingIn, passPause, rejection, until } from "../support/http-client.js";
import { answer, json, type Responder } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { startTestService } from "../support/test-service.js";

const harness = useScriptedServer();
const QUERY = "query Names { applications { totalCount } }";
const MUTATION = "mutation Touch { touch }";
const UNAUTHENTICATED = { code: 16, details: "unknown key" };
const never = new Promise<never>(() => {});

/** A function that returns these keys in turn, then always the last one. */
function keys(...values: readonly string[]) {
  let asked = 0;
  return vi.fn(async () => values[Math.min(asked++, values.length - 1)] ?? "");
}

/** Accepts this key only, and refuses others with HTTP 401, or with HTTP 200 and `errors`. */
function takes(key: string, refusal: 401 | 200 = 401): Responder {
  return ({ headers }, response) => {
    if (headers.authorization === key) return json(response, { data: { ok: true } });
    const errors = [{ message: "not authorized", extensions: { code: "AUTH_NOT_AUTHORIZED" } }];
    return json(response, { data: null, errors }, { status: refusal });
  };
}

test.each([
  [401, QUERY],
  [200, QUERY],
  [401, MUTATION],
  [200, MUTATION],
] as const)("a refused key is replaced by the function's next one (HTTP %i)", async (status, document) => {
  const apiKey = keys("old", "new");
  // With HTTP 200, the entries of `errors` say that the mutation was not begun.
  const { client, server } = await connectClient(takes("new", status), { apiKey, retry: false });
  expect(await client.request(document, {})).toEqual({ ok: true });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["old", "new"]);
  expect(apiKey).toHaveBeenCalledTimes(2);
});

const entry = { message: "not authorized", extensions: { code: "AUTH_NOT_AUTHORIZED" } };
const DONE = { touch: { id: "t1" } };
test.each<[string, unknown, readonly object[], number]>([
  ["a field of its result was refused", { touch: null }, [{ ...entry, path: ["touch", "case", "id"] }], 200],
  ["the second of its fields was refused", null, [{ ...entry, path: ["destroy"] }], 200],
  ["one of its fields failed", null, [entry, { message: "failed", path: ["touch"] }], 200],
  ["a path is not valid", null, [{ ...entry, path: "touch" }], 200],
  ["its data was begun", { touch: null }, [entry], 200],
  ["its answer has data", DONE, [entry], 200],
  ["its answer has data beside HTTP 400", DONE, [entry], 400],
  ["its answer has data beside HTTP 500", DONE, [entry], 500],
])("a refused key is not replaced for a mutation that may have been executed: %s", async (...row) => {
  const [, data, errors, status] = row;
  const apiKey = keys("old", "new");
  const { client, server } = await connectClient(
    (_request, response) => json(response, { data, errors }, { status }),
    { apiKey },
  );
  const error = await rejection(client.request("mutation Both { touch destroy }", {}));
  expect(error).toMatchObject({ attempts: 1, retryable: false });
  expect(server.requests).toHaveLength(1);
  expect(apiKey).toHaveBeenCalledTimes(1);
});

test("a refused key is replaced for an idempotent mutation even after a field was refused", async () => {
  const errors = [{ ...entry, path: ["touch"] }];
  const { client, server } = await connectClient(
    (_, response, index) => json(response, index === 0 ? { data: null, errors } : { data: { touch: 1 } }),
    { apiKey: keys("old", "new") },
  );
  expect(await client.request(MUTATION, {}, { idempotent: true })).toEqual({ touch: 1 });
  expect(server.requests).toHaveLength(2);
});

test("a refused key is replaced once per operation", async () => {
  const { client, server } = await connectClient(takes("none"), { apiKey: keys("a", "b", "c", "d") });
  expect(await rejection(client.request(QUERY, {}))).toMatchObject({
    code: "AUTHENTICATION_FAILED",
    attempts: 2,
  });
  expect(server.requests).toHaveLength(2);
});

test("replacing a refused key uses up none of the call's retries", async () => {
  const answers = [takes("new"), answer({}, { status: 503 }), takes("new")];
  const { client, clock } = await connectClient((...given) => answers.shift()?.(...given), {
    apiKey: keys("old", "new"),
    retry: { retries: 1 },
  });
  const data = client.request(QUERY, {});
  await passPause(clock);
  expect(await data).toEqual({ ok: true });
});

test("hooks see a replaced key as a retry without a pause", async () => {
  const { hooks, order, retries } = observedHooks();
  const { client } = await connectClient(takes("Bearer new"), {
    authorization: keys("Bearer old", "Bearer new"),
    ...hooks,
  });
  await client.request(QUERY, {});
  expect(order).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2"]);
  expect(retries).toMatchObject([{ delayMs: 0, code: "AUTHENTICATION_FAILED" }]);
});

test("a refused key fails the call if the function returns the same key again", async () => {
  const apiKey = keys("old");
  const { client, server } = await connectClient(takes("new"), { apiKey });
  const failed = { code: "AUTHENTICATION_FAILED", attempts: 1, stoppedBecause: "not-retryable" };
  expect(await rejection(client.request(QUERY, {}))).toMatchObject(failed);
  expect(server.requests).toHaveLength(1);
  harness.server.scripts.StartSyncBatch.push(UNAUTHENTICATED);
  expect(await rejection(harness.startBatch({ apiKey }))).toMatchObject(failed);
  expect(harness.server.calls).toHaveLength(1);
  expect(apiKey).toHaveBeenCalledTimes(4);
});

test("every operation of both APIs survives a key rotation", async () => {
  const { server } = await startTestService();
  const { baseUrl, syncUrl, installationId } = server;
  let current = server.apiKey;
  let cached = current;
  // A cache returns the old key until it is refused.
  const apiKey = () => {
    const key = cached;
    cached = current;
    return key;
  };
  const rotate = () => {
    const old = current;
    current = server.createApiKey();
    server.revokeApiKey(old);
  };
  await using sync = createSyncClient({ endpoint: syncUrl, apiKey, retry: false });
  await using graphql = new GraphQLClient({ baseUrl, apiKey, retry: false });
  rotate();
  const batch = await sync.startBatch({ installationId });
  rotate();
  await batch.write("accounts", accounts(3));
  rotate();
  await batch.complete();
  rotate();
  expect(await graphql.applications().totalCount()).toBe(0);
  rotate();
  const other = await sync.startBatch({ installationId });
  rotate();
  await other.abort();
  expect(server.inspect(installationId).snapshots.accounts).toHaveLength(3);
});

test("concurrent attempts share one call of the key function, and later attempts call it again", async () => {
  let answer = (_key: string) => {};
  const apiKey = vi.fn(
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  );
  const { client, server } = await connectClient(takes("key"), { apiKey });
  const together = [client.request(QUERY, {}), client.request(QUERY, {}), client.request(QUERY, {})];
  await until(() => apiKey.mock.calls.length === 1);
  await new Promise((resolve) => setImmediate(resolve));
  answer("key");
  await Promise.all(together);
  expect(apiKey).toHaveBeenCalledTimes(1);
  expect(server.requests).toHaveLength(3);
  const later = client.request(QUERY, {});
  await until(() => apiKey.mock.calls.length === 2);
  answer("key");
  await later;
});

test("attempts refused at the same time share one call for the next key", async () => {
  const { hooks, responses } = observedHooks();
  let answer = (_key: string) => {};
  const answers = [
    async () => "old",
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  ];
  const apiKey = vi.fn(() => answers.shift()?.() ?? "unexpected");
  const { client } = await connectClient(takes("new"), { apiKey, ...hooks });
  const together = [client.request(QUERY, {}), client.request(QUERY, {}), client.request(QUERY, {})];
  await until(() => responses.length === 3);
  await new Promise((resolve) => setImmediate(resolve));
  answer("new");
  await Promise.all(together);
  expect(apiKey).toHaveBeenCalledTimes(2);
});

const QUOTED = ['"key-1"', "'key-1'", "`key-1`", ' "key-1" '];
test.each(["", "   ", "key-1\n", "Bearer key-1", "BEARER key-1", "ApiKey key-1", ...QUOTED])(
  "the key %j is refused before anything is sent",
  async (apiKey) => {
    const { client, server } = await connectClient(takes("key-1"), { apiKey });
    const refused = { code: "AUTHENTICATION_FAILED", attempts: 1 };
    expect(await rejection(client.request(QUERY, {}))).toMatchObject(refused);
    expect(await rejection(harness.startBatch({ apiKey }))).toMatchObject(refused);
    expect([server.requests.length, harness.server.calls.length]).toEqual([0, 0]);
  },
);

test("if the key function fails, the call rejects with an AuthenticationError that has the cause", async () => {
  const cause = new Error("vault is sealed");
  const { client, server } = await connectClient(() => {}, { apiKey: () => Promise.reject(cause) });
  const [first, second] = await Promise.all([
    rejection(client.request(QUERY, {})),
    rejection(client.request(QUERY, {})),
  ]);
  expect(first).toBeInstanceOf(AuthenticationError);
  expect(first).toMatchObject({ cause, attempts: 1 });
  expect(second).not.toBe(first);
  expect(server.requests).toHaveLength(0);
  expect(await rejection(harness.startBatch({ apiKey: () => Promise.reject(cause) }))).toMatchObject({
    code: "AUTHENTICATION_FAILED",
    cause,
  });
});

test("a key function that fails after a refusal keeps the service's message", async () => {
  const cause = new Error("vault is sealed");
  const answers = [() => "canary-old", () => Promise.reject(cause)];
  const { client } = await connectClient(takes("new"), { apiKey: () => answers.shift()?.() ?? "" });
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(error).toMatchObject({ cause, attempts: 1, serverMessage: "not authorized" });
  expect(everythingIn(error)).not.toContain("canary-old");
});

test("if the key function fails while a window is sent, its records count as sent only if an attempt went out", async () => {
  const answers = ["start", "start", "key"];
  const apiKey = () => answers.shift() ?? Promise.reject(new Error("vault is sealed"));
  const lost = await harness.startBatch({ apiKey });
  const unsent = await harness.startBatch({ apiKey });
  harness.server.scripts.SyncRecords.push({ code: 14, details: "connection dropped" });
  for (const batch of [lost, unsent])
    await expect(batch.write("accounts", accounts(2))).rejects.toBeInstanceOf(AuthenticationError);
  expect(lost.stats.accounts).toMatchObject({ sent: 2, accepted: 0 });
  expect(unsent.stats.accounts).toMatchObject({ sent: 0, accepted: 0 });
  expect(harness.server.streams).toHaveLength(1);
});

test("a call whose key function never settles ends with the timeout and does not block the next call", async () => {
  const answers: (string | Promise<string>)[] = [never, "key"];
  const apiKey = () => answers.shift() ?? "key";
  const { client, clock, server } = await connectClient(takes("key"), { apiKey });
  const late = rejection(client.request(QUERY, {}, { timeoutMs: 5_000 }));
  await until(() => answers.length === 1);
  clock.advance(5_000);
  expect(await late).toMatchObject({ code: "TIMEOUT" });
  expect(server.requests).toHaveLength(0);
  expect(await client.request(QUERY, {})).toEqual({ ok: true });
});

test("a key function that never settles does not block a start or close", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  let asked = 0;
  const apiKey = () => {
    asked += 1;
    return never;
  };
  const client = harness.client({ apiKey, clock, timeoutMs: 5_000 });
  const late = rejection(client.startBatch({ installationId: "installation-1" }));
  await until(() => asked === 1);
  clock.advance(5_000);
  expect(await late).toMatchObject({ code: "TIMEOUT" });
  expect(harness.server.calls).toEqual([]);
  await client.close();
  expect(clock.sleeping).toBe(0);
});

test("a key function that rejects after an abort causes no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", listen);
  onTestFinished(() => void process.off("unhandledRejection", listen));
  let fail = (_reason: Error) => {};
  let asked = false;
  const apiKey = () =>
    new Promise<string>((_, reject) => {
      asked = true;
      fail = reject;
    });
  const { client } = await connectClient(() => {}, { apiKey });
  const stop = new AbortController();
  const error = rejection(client.request(QUERY, {}, { signal: stop.signal }));
  await until(() => asked);
  stop.abort("enough");
  expect(await error).toBe("enough");
  fail(new Error("too late"));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test("errors of an old request show no key, no matter how many keys have been sent since then", async () => {
  let hold = true;
  const held: (() => void)[] = [];
  const respond: Responder = ({ headers }, response) => {
    const answer = () =>
      json(response, { data: null, errors: [{ message: `key ${headers.authorization}` }] });
    if (hold) held.push(answer);
    else answer();
  };
  let minted = 0;
  const authorization = () => `Bearer minted-${String(++minted).padStart(8, "0")}`;
  const { client, server } = await connectClient(respond, { authorization });
  const first = rejection(client.request(QUERY, {}));
  await server.arrived(1);
  hold = false;
  for (let other = 0; other < 33; other++) await rejection(client.request(QUERY, {}));
  held[0]?.();
  expect(await first).toMatchObject({ serverMessage: "key [redacted]" });
  expect(everythingIn(await first)).not.toContain("minted-");
});
