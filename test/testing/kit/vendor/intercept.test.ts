import http, { type ClientRequest, get, request } from "node:http";
import https from "node:https";
import axios from "axios";
import { getGlobalDispatcher } from "undici/index.js";
import { expect, onTestFinished, test } from "vitest";
import { startVendor } from "../../../../src/testing/kit/vendor/server.js";
import { serveVendor } from "../serve-vendor.js";
import { API, exchange } from "./played.js";

/** Statuses of requests to an origin, sent with fetch and with axios. */
async function askBoth(origin: string): Promise<readonly number[]> {
  const validateStatus = () => true;
  return [(await fetch(origin)).status, (await axios.get(origin, { validateStatus })).status];
}

async function startPlayed() {
  let isOn = true;
  const vendor = await startVendor(() => (isOn ? run.route : undefined));
  const run = vendor.play({
    recording: { startedAt: "2026-05-04T02:00:00Z", exchanges: [exchange("/", { json: 1 })] },
    clock: { sleep: () => Promise.resolve() },
  });
  onTestFinished(vendor.close);
  return {
    run,
    vendor,
    switchOff: () => {
      isOn = false;
    },
  };
}

test("intercepts requests to any host, even on loopback", async () => {
  const other = await serveVendor(async () => new Response("", { status: 202 }));
  await startPlayed();
  expect(await askBoth(other)).toEqual([404, 404]);
  expect(await askBoth(API)).toEqual([200, 200]);
});

test("requests without a route reach their own address", async () => {
  const origin = await serveVendor(async () => new Response("", { status: 203 }));
  const { run, switchOff } = await startPlayed();
  switchOff();
  expect(await askBoth(origin)).toEqual([203, 203]);
  expect(run.requests).toEqual([]);
});

test("restores exactly what was there", async () => {
  const whatIsThere = () => [
    http.request,
    http.get,
    https.request,
    https.get,
    request,
    get,
    getGlobalDispatcher(),
  ];
  const before = whatIsThere();
  const { vendor } = await startPlayed();
  expect(whatIsThere().filter((value, i) => value === before[i])).toEqual([]);
  await vendor.close();
  expect(whatIsThere().filter((value, i) => value !== before[i])).toEqual([]);
});

test("understands every form of node:http's request", async () => {
  const { run } = await startPlayed();
  const path = "/";
  const asked: (() => ClientRequest)[] = [
    () => https.request(API),
    () => https.request(new URL(API), { method: "POST" }),
    () => https.request({ host: "api.acme.example", path }),
    () => https.request({ hostname: "api.acme.example", port: 443, headers: ["x-a", "1", "x-b", "2"] }),
    () => http.request({ host: "api.acme.example", protocol: "https:", agent: https.globalAgent }),
    () => http.request({ protocol: "http:", host: "::1", port: 8080 }),
    () => http.request({ host: "proxy.example", port: 3128, path: `${API}/` }),
  ];
  for (const ask of asked) {
    await new Promise((resolve, reject) => {
      const sent = ask();
      // Without a listener for the response, Node drops its body.
      sent.on("close", resolve).on("error", reject).end();
    });
  }
  expect(run.requests.map(({ method, url, answer }) => `${method} ${url} ${answer.status}`)).toEqual([
    `GET ${API}/ 200`,
    `POST ${API}/ 404`,
    `GET ${API}/ 200`,
    `GET ${API}/ 200`,
    `GET ${API}/ 200`,
    "GET http://[::1]:8080/ 404",
    `GET ${API}/ 200`,
  ]);
  expect(run.requests[3]?.headers).toMatchObject({ "x-a": "1", "x-b": "2" });
  expect(Object.keys(run.requests[0]?.headers ?? {})).not.toContain("host");
});

test("a connector may close the global dispatcher", async () => {
  const { run } = await startPlayed();
  await getGlobalDispatcher().close();
  await getGlobalDispatcher().destroy();
  expect((await fetch(API)).status).toBe(200);
  expect(run.requests).toHaveLength(1);
});
