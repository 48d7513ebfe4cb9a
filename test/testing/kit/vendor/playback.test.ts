import { AsyncLocalStorage } from "node:async_hooks";
import { type IncomingMessage, request as namedRequest } from "node:http";
import https, { get as namedGet } from "node:https";
import axios from "axios";
import got from "got";
import { request as undiciRequest } from "undici/index.js";
import { expect, test } from "vitest";
import type { VendorAnswer } from "../../../../src/testing/kit/vendor/messages.js";
import { until } from "../../../support/promises.js";
import { API, exchange, playedVendor } from "./played.js";

const played = playedVendor();
const USERS = exchange("/users?page=1", { json: { users: ["ada", "bob"] } });

function textOf(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    message
      .setEncoding("utf8")
      .on("data", (chunk) => (text += chunk))
      .on("end", () => resolve(text))
      .on("error", reject);
  });
}

const CLIENTS: Record<string, () => Promise<unknown>> = {
  fetch: async () => (await fetch(`${API}/users?page=1`)).json(),
  "undici.request": async () => (await undiciRequest(`${API}/users`, { query: { page: 1 } })).body.json(),
  axios: async () => (await axios.get(`${API}/users`, { params: { page: 1 } })).data,
  got: async () => got(`${API}/users?page=1`, { retry: { limit: 0 } }).json(),
  "https.get": () =>
    new Promise((resolve, reject) =>
      https
        .get(`${API}/users?page=1`, (message) => textOf(message).then(JSON.parse).then(resolve, reject))
        .on("error", reject),
    ),
  "get of node:https": () =>
    new Promise((resolve, reject) =>
      namedGet(new URL(`${API}/users?page=1`), { timeout: 1000 }, (message) =>
        textOf(message).then(JSON.parse).then(resolve, reject),
      ).on("error", reject),
    ),
  "request of node:http": () =>
    new Promise((resolve, reject) =>
      namedRequest(
        { protocol: "https:", agent: https.globalAgent, host: "api.acme.example", path: "/users?page=1" },
        (message) => textOf(message).then(JSON.parse).then(resolve, reject),
      )
        .on("error", reject)
        .end(),
    ),
};

test.for(Object.entries(CLIENTS))("answers %s from the recording", async ([, ask]) => {
  const run = played.play({ exchanges: [USERS] });
  expect(await ask()).toEqual({ users: ["ada", "bob"] });
  expect(run.requests).toMatchObject([
    { method: "GET", url: `${API}/users?page=1`, exchange: 0, repeat: 0, injected: false },
  ]);
  expect(run.fired).toBe(0);
  expect(run.route.pending).toBe(0);
});

test.for(Object.entries(CLIENTS))("%s sees a connection that is cut", async ([, ask]) => {
  for (const cutAfter of [-1, 0, 5]) {
    const run = played.play({
      exchanges: [USERS],
      injected: { exchanges: [USERS], answer: (answer) => ({ ...answer, cutAfter }) },
    });
    await expect(ask()).rejects.toThrow();
    expect(run.fired).toBeGreaterThan(0);
    await until(() => run.route.pending === 0);
  }
});

test("follows redirects as if they came from the vendor's own address", async () => {
  const redirect = exchange("/old", { text: "" });
  const moved = {
    ...redirect,
    response: { status: 302, headers: { location: "/users?page=1" }, body: { text: "" } },
  };
  played.play({ exchanges: [moved, USERS] });
  const response = await fetch(`${API}/old`);
  expect([response.url, response.redirected]).toEqual([`${API}/users?page=1`, true]);
  expect((await axios.get(`${API}/old`)).data).toEqual({ users: ["ada", "bob"] });
});

test("plays back multiple cookies, large integers and bytes unchanged", async () => {
  const numbers = exchange("/numbers", { json: { id: "#number:12345678901234567890" } });
  const cookies = { ...numbers.response, headers: { "set-cookie": "a=1; Path=/\nb=2" } };
  const bytes = exchange("/bytes", { base64: "/wD+" });
  played.play({ exchanges: [{ ...numbers, response: cookies }, bytes] });
  const response = await fetch(`${API}/numbers`);
  expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
  expect(await response.text()).toBe('{"id":12345678901234567890}');
  expect(new Uint8Array(await (await fetch(`${API}/bytes`)).arrayBuffer())).toEqual(
    new Uint8Array([255, 0, 254]),
  );
});

test("a run that has ended answers nothing, and the next one counts from zero", async () => {
  const first = played.play({ exchanges: [USERS] });
  await fetch(`${API}/users?page=1`);
  first.end();
  await expect(fetch(`${API}/users?page=1`)).rejects.toThrow();
  const second = played.play({ exchanges: [USERS] });
  await fetch(`${API}/users?page=1`);
  expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
});

test("delays an answer on the given clock", async () => {
  const sleeps: { readonly ms: number; readonly wake: () => void }[] = [];
  const clock = { sleep: (ms: number) => new Promise<void>((wake) => sleeps.push({ ms, wake })) };
  const injected = {
    exchanges: [USERS],
    answer: (answer: VendorAnswer) => ({ ...answer, delayMs: 600_000 }),
  };
  const run = played.play({ exchanges: [USERS], clock, injected });
  const asked = fetch(`${API}/users?page=1`);
  await until(() => sleeps.length === 1);
  expect([sleeps[0]?.ms, run.held, run.busy, run.route.pending]).toEqual([600_000, 1, 0, 1]);
  sleeps[0]?.wake();
  expect(await (await asked).json()).toEqual({ users: ["ada", "bob"] });
  expect([run.held, run.fired]).toEqual([0, 1]);
});

test("calls back in the async context of the caller", async () => {
  played.play({ exchanges: [USERS] });
  const context = new AsyncLocalStorage<string>();
  const seen = await context.run("connector", async () => {
    const { body } = await undiciRequest(`${API}/users?page=1`);
    const ofUndici = await new Promise((resolve) => body.once("data", () => resolve(context.getStore())));
    const ofHttp = await new Promise((resolve) => {
      https.get(`${API}/users?page=1`, (message) => message.once("data", () => resolve(context.getStore())));
    });
    return [ofUndici, ofHttp];
  });
  expect(seen).toEqual(["connector", "connector"]);
});

test("collects the credentials that were sent and issued", async () => {
  const login = exchange("/login", { json: { access_token: "granted-token-1" } }, { method: "POST" });
  const run = played.play({ exchanges: [login] });
  await fetch(`${API}/login?api_key=key-in-the-query`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("ada:password-1")}`, cookie: "sid=session-of-ada" },
    body: new URLSearchParams({ client_secret: "secret-in-a-form" }),
  });
  await fetch(`${API}/login`, { method: "POST" });
  expect(run.credentials).toEqual(
    expect.arrayContaining([
      "key-in-the-query",
      "password-1",
      "session-of-ada",
      "secret-in-a-form",
      "granted-token-1",
    ]),
  );
});
