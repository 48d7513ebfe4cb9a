import { SaasManagementClient } from "@saas-management/sdk";
import { ConfigurationError, GraphQLClient, InvalidInputError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY, connectClient, passPause, rejection } from "../support/http-client.js";
import { answer, json } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const CLIENT = { baseUrl: "https://api.example.com", apiKey: API_KEY };
const OK = answer({ data: { ok: true } });

test("sends a POST of query and variables to {baseUrl}/graphql", async () => {
  const { client, server } = await connectClient(OK);
  await client.request(QUERY, { a: 1 });
  expect(server.requests).toMatchObject([
    {
      method: "POST",
      path: "/graphql",
      headers: { authorization: API_KEY, "content-type": "application/json" },
      body: { query: QUERY, variables: { a: 1 } },
    },
  ]);
});

test.each(["/eu/v2", "/eu/v2/"])("keeps the path %s of baseUrl", async (path) => {
  const { server } = await connectClient(OK);
  await new GraphQLClient({ baseUrl: server.baseUrl + path, apiKey: API_KEY }).request(QUERY, {});
  expect(server.requests[0]?.path).toBe("/eu/v2/graphql");
});

test("calls the fetch option as a function, because a browser's fetch refuses to be called as a method", async () => {
  const calls: unknown[] = [];
  const client = new GraphQLClient({
    ...CLIENT,
    fetch: async function (this: unknown, url) {
      calls.push(this, url);
      return Response.json({ data: { ok: true } });
    },
  });
  expect(await client.request(QUERY, {})).toEqual({ ok: true });
  expect(calls).toEqual([undefined, "https://api.example.com/graphql"]);
});

test("sends the result of the authorization option as the whole header Authorization", async () => {
  const authorization = async () => "Bearer platform-token";
  const { client, server } = await connectClient(OK, { authorization });
  await client.request(QUERY, {});
  expect(server.requests[0]?.headers.authorization).toBe("Bearer platform-token");
});

test("names the application and the SDK in the user agent", async () => {
  const { client, server } = await connectClient(OK, { appInfo: { name: "renewals", version: "2.1" } });
  await client.request(QUERY, {});
  expect(server.requests[0]?.headers["user-agent"]).toMatch(/^renewals\/2\.1 saas-management-sdk\/\d/);
});

test("sends the client's headers, overridden by those of the call", async () => {
  const { client, server } = await connectClient(OK, { headers: { "x-team": "it", "x-run": "1" } });
  await client.request(QUERY, {}, { headers: { "X-Run": "2" } });
  expect(server.requests[0]?.headers).toMatchObject({ "x-team": "it", "x-run": "2" });
});

/** Headers that a caller mustn't set, because they would break the connection or reach the wrong server. */
const CONNECTION_HEADERS = [
  ...["Connection", "keep-alive", "proxy-connection", "Proxy-Authorization", "te", "trailer", "Upgrade"],
  ...["transfer-encoding", "content-length", "expect", "host"],
];

test.each(CONNECTION_HEADERS)("refuses the header %s by name, for both APIs", async (name) => {
  const options = { baseUrl: "http://localhost:1", syncUrl: "http://localhost:1", apiKey: API_KEY };
  const message = `headers must not contain ${name.toLowerCase()}`;
  for (const api of [{ baseUrl: undefined }, { syncUrl: undefined }]) {
    const make = () => new SaasManagementClient({ ...options, ...api, headers: { [name]: "x" } });
    expect(make).toThrow(new ConfigurationError(`${message}: the HTTP client sets it.`));
  }
  const { client } = await connectClient(OK);
  await expect(client.request(QUERY, {}, { headers: { [name]: "x" } })).rejects.toThrow(message);
});

test("sends the header te with the value trailers", async () => {
  const { client, server } = await connectClient(OK, { headers: { te: "trailers" } });
  await client.request(QUERY, {});
  expect(server.requests[0]?.headers["te"]).toBe("trailers");
});

test.each<[string, unknown]>([
  ["a Headers", new Headers({ "x-tenant": "canary" })],
  ["a Map", new Map([["x-tenant", "canary"]])],
  ["an array", [["x-tenant", "canary"]]],
  ["null", null],
  ["undefined as a value", { "x-tenant": undefined }],
  ["an object as a value", { "x-tenant": { canary: 1 } }],
  ["a line break in a value", { "x-tenant": "canary\nvalue" }],
  ["authorization", { Authorization: "canary" }],
])("rejects headers with %s in clients, calls and connections", async (_, headers) => {
  for (const Client of [GraphQLClient, SaasManagementClient]) {
    const make = () => Reflect.construct(Client, [{ ...CLIENT, headers }]);
    expect(make).toThrow(ConfigurationError);
    expect(make).not.toThrow(/canary/);
  }
  const { client, server } = await connectClient(OK);
  const errors = [
    await rejection(Reflect.apply(client.request, client, ["{ x }", {}, { headers }])),
    await rejection(Reflect.apply(client.licenses, client, [{ headers }]).firstPage()),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).not.toContain("canary");
  }
  expect(server.requests).toHaveLength(0);
});

test.each<[string, unknown, string]>([
  ["a number that is not finite", { input: { price: Number.NaN } }, "input.price"],
  ["undefined in a list", { rows: [{ ids: ["canary", undefined] }] }, "rows[0].ids[1]"],
  ["a function in a list", { ids: [() => "canary"] }, "ids[0]"],
  ["a function as a field", { input: { name: () => "canary" } }, "input.name"],
  ["a symbol", { ids: [Symbol("canary")] }, "ids[0]"],
  ["a Map", { input: { price: new Map([["canary", 1]]) } }, "input.price"],
  ["a Set", { ids: new Set(["canary"]) }, "ids"],
  ["a Promise", { where: Promise.resolve({}) }, "where"],
  ["a RegExp", { where: { name: /canary/ } }, "where.name"],
  ["an Error", { where: { name: new Error("canary") } }, "where.name"],
  ["bytes", { input: { name: new Uint8Array([1]) } }, "input.name"],
  ["an invalid Date", { input: { deadline: new Date("canary") } }, "input.deadline"],
  ["a Map of variables", new Map([["canary", 1]]), ""],
])("rejects variables that JSON would silently change: %s", async (_, variables, path) => {
  const { client, server } = await connectClient(OK);
  const error = await rejection(Reflect.apply(client.request, client, [QUERY, variables]));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ issues: [{ path }] });
  expect(String(error)).not.toContain("canary");
  expect(server.requests).toHaveLength(0);
});

test("rejects variables that JSON cannot contain", async () => {
  const { client } = await connectClient(OK);
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  for (const variables of [circular, { price: 10n }, ["a"]])
    expect(await rejection(client.request(QUERY, variables))).toBeInstanceOf(InvalidInputError);
});

test("sends null, empty objects and lists, class instances and anything with a toJSON", async () => {
  const { client, server } = await connectClient(OK);
  class Input {
    name = "a";
    at = new Date(0);
    link = new URL("https://api.example.com/a");
  }
  await client.request(QUERY, { none: null, empty: {}, left: undefined, list: [null, []], own: new Input() });
  const own = { name: "a", at: "1970-01-01T00:00:00.000Z", link: "https://api.example.com/a" };
  expect(server.requests[0]?.body.variables).toEqual({ none: null, empty: {}, list: [null, []], own });
});

test("sends variables in every attempt as they were at the time of the call", async () => {
  const { client, server, clock } = await connectClient((_, response, index) =>
    json(response, { data: {} }, { status: index === 0 ? 503 : 200 }),
  );
  const variables = { ids: ["first"] };
  const call = client.request(QUERY, variables);
  variables.ids = ["second"];
  await server.arrived(1);
  await passPause(clock);
  await call;
  expect(server.requests.map(({ body }) => body.variables)).toEqual([{ ids: ["first"] }, { ids: ["first"] }]);
});
