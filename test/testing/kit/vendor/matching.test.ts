import { expect, test } from "vitest";
import { ownTag } from "../../../../src/testing/kit/cassette/fakes.js";
import { API, exchange, playedVendor } from "./played.js";

const played = playedVendor();
const UUID = "0b54e7a2-1f5c-4d7e-9c3a-5a1d2b3c4d5e";
const OTHER_UUID = "9d1c2b3a-4e5f-4a6b-8c7d-0e1f2a3b4c5d";

/** Names the exchanges that answer the requests; undefined for a 404. */
async function answersTo(paths: readonly string[], requests: readonly (string | [string, RequestInit])[]) {
  const exchanges = paths.map((path, i) => exchange(path, { json: { number: i } }));
  const run = played.play({ exchanges });
  for (const request of requests) {
    const [path, init] = typeof request === "string" ? [request] : request;
    await (await fetch(`${API}${path}`, init)).text();
  }
  return run.requests.map(({ exchange }) => exchange);
}

test("prefers the same address over similar ones", async () => {
  const paths = ["/a?since=2026-01-01", "/a?since=2026-01-02", `/b/${UUID}`, `/b/${OTHER_UUID}`];
  expect(await answersTo(paths, [...paths].reverse())).toEqual([3, 2, 1, 0]);
});

test("answers repeated requests in turn, and then with the last answer", async () => {
  expect(await answersTo(["/jobs/1", "/x", "/jobs/1"], ["/jobs/1", "/jobs/1", "/jobs/1"])).toEqual([0, 2, 2]);
});

test.for([
  ["times", "/a?until=2026-11-21T10:00:00Z&page=2", "/a?page=2&until=2026-11-22T11:30:00.5Z"],
  ["seconds since 1970", "/a?from=1763719200", "/a?from=1763805600"],
  ["what the connector brings along", "/a?api_key=own&page=2", "/a?api_key=my-own-key&page=2"],
  ["nonces and signatures", "/a?nonce=abc&oauth_signature=xyz", "/a?nonce=def&oauth_signature=uvw"],
  ["UUIDs", `/a?client_request=${UUID}`, `/a?client_request=${OTHER_UUID}`],
  ["days in a path", "/reports/2026-11-21/rows", "/reports/2026-11-22/rows"],
  ["what one request brings along", "/a?subject=own-01234", "/a?subject=admin@acme.example"],
  ["a watermark that the first run lacks", "/a?page=1", "/a?page=1&updated_since=2026-11-22T10:00:00Z"],
  [
    "a time in a filter",
    "/a?filter=at%20gt%20%222026-11-21T10:00:00Z%22",
    '/a?filter=at gt "2026-11-22T11:00:00Z"',
  ],
  ["escapes", "/a/b%40c?q=x%20y", "/a/b@c?q=x+y"],
] as const)("finds an exchange that differs in %s", async ([, recorded, asked]) => {
  expect(await answersTo(["/other", recorded], [asked])).toEqual([1]);
});

test.for([
  ["another page", ["/a?page=1"], "/a?page=2"],
  ["another method or no query", ["/a?page=1"], "/a"],
  ["one of several UUIDs", [`/u/${UUID}`, `/u/${OTHER_UUID}`], `/u/${UUID.replace("0b", "0c")}`],
  ["an id that looks like seconds", ["/a?user=1763719200", "/a?user=1763719201"], "/a?user=1763719202"],
] as const)("does not answer %s", async ([, recorded, asked]) => {
  expect(await answersTo(recorded, [asked])).toEqual([undefined]);
});

test("distinguishes people whose addresses are escaped differently in the recording", async () => {
  const paths = ["/users/ada%40x.example/groups", "/users/bob%40x.example/groups"];
  expect(await answersTo(paths, ["/users/bob@x.example/groups", "/users/ada@x.example/groups"])).toEqual([
    1, 0,
  ]);
});

test("a request that nothing answers gets 404 and a reason", async () => {
  const run = played.play({ exchanges: [exchange("/a", { json: {} })] });
  const response = await fetch(`${API}/b`, { method: "POST" });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ error: expect.stringContaining("no answer") });
  expect(run.requests).toMatchObject([{ method: "POST", url: `${API}/b`, injected: false }]);
});

test("compares bodies as JSON and as forms, without their secrets", async () => {
  const json = { method: "POST", body: { json: { query: "users", page: 1, at: "2026-11-21T10:00:00Z" } } };
  const form = {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: { text: "grant_type=own&client_secret=own" },
  };
  const run = played.play({
    exchanges: [exchange("/q", { json: 1 }, json), exchange("/q", { json: 2 }, form)],
  });
  const bodies = [
    new URLSearchParams({ client_secret: "mine", grant_type: "client_credentials" }),
    JSON.stringify({ at: "2026-11-22T10:00:00Z", page: 1, query: "users" }),
    JSON.stringify({ at: "2026-11-22T10:00:00Z", page: 1, query: "users", after: null }),
    JSON.stringify({ at: "2026-11-22T10:00:00Z", page: 2, query: "users" }),
  ];
  for (const body of bodies) await (await fetch(`${API}/q`, { method: "POST", body })).text();
  expect(run.requests.map(({ exchange }) => exchange)).toEqual([1, 0, 0, undefined]);
});

test("distinguishes the connector's own values by their digest", async () => {
  const salt = "s";
  const paths = ["user", "group"].map((kind) => `/a?kind=${ownTag(salt, kind)}`);
  const recording = {
    startedAt: "2026-05-04T02:00:00Z",
    salt,
    exchanges: paths.map((path) => exchange(path, { json: 1 })),
  };
  const run = played.play({ ...recording, recording });
  for (const kind of ["group", "user", "other"]) await (await fetch(`${API}/a?kind=${kind}`)).text();
  expect(run.requests.map(({ exchange }) => exchange)).toEqual([1, 0, undefined]);
});

test("finds a request that differs only in a watermark", async () => {
  const run = played.play({
    exchanges: [
      exchange("/events?after=50&page=1", { json: 1 }),
      exchange("/events?after=50&page=2", { json: 2 }),
    ],
  });
  const ask = async (query: string) => (await fetch(`${API}/events?${query}`)).status;
  expect(await ask("after=77&page=2")).toBe(404);
  run.watermarks.add("77");
  expect([await ask("after=77&page=2"), await ask("after=78&page=2")]).toEqual([200, 404]);
  expect(run.requests[1]?.exchange).toBe(1);
});

test("counts an answer as injected if the recording has a different one", async () => {
  const [one, two] = [exchange("/1", { json: 1 }), exchange("/2", { json: 2 })];
  const cases = [
    { exchanges: [one, two] },
    { exchanges: [one] },
    { exchanges: [one, { ...two, response: one.response }] },
    {
      exchanges: [one, two],
      answer: (answer: { body: Buffer }) => ({ status: 200, headers: {}, body: answer.body }),
    },
  ];
  const fired = [];
  for (const injected of cases) {
    const run = played.play({ exchanges: [one, two], injected });
    for (const path of ["/1", "/2", "/3"]) await (await fetch(`${API}${path}`)).text();
    fired.push(run.fired);
  }
  expect(fired).toEqual([0, 1, 1, 3]);
});
