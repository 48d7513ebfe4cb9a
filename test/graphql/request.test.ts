import { inspect } from "node:util";
import {
  AuthenticationError,
  ConfigurationError,
  GraphQLClient,
  InvalidInputError,
} from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { API_KEY, connectClient, passPause, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";

describe("a request", () => {
  it("is a POST of query and variables to {baseUrl}/graphql", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }));
    await client.request(QUERY, { a: 1 });
    const [request] = server.requests;
    expect(request?.method).toBe("POST");
    expect(request?.path).toBe("/graphql");
    expect(request?.body).toEqual({ query: QUERY, variables: { a: 1 } });
  });

  it("is sent by a fetch that is called by itself: a browser's own refuses to be a method", async () => {
    const receivers: unknown[] = [];
    const { client } = await connectClient((_, response) => json(response, { data: { ok: true } }), {
      fetch: function (this: unknown, url, init) {
        receivers.push(this);
        return fetch(url, init);
      },
    });
    await client.request(QUERY);
    expect(receivers).toEqual([undefined]);
  });

  it("carries the API key without a prefix, and declares JSON", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }));
    await client.request(QUERY);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: API_KEY,
      "content-type": "application/json",
    });
  });

  it("carries what authorization returns as the whole Authorization value", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }), {
      authorization: async () => "Bearer platform-token",
    });
    await client.request(QUERY);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer platform-token");
  });

  it("names the application and the SDK as its user agent", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }), {
      appInfo: { name: "renewals", version: "2.1" },
    });
    await client.request(QUERY);
    expect(server.requests[0]?.headers["user-agent"]).toMatch(/^renewals\/2\.1 saas-management-sdk\/\d/);
  });

  it("carries the client's headers, and those of the call over them", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }), {
      headers: { "x-team": "it", "x-run": "1" },
    });
    await client.request(QUERY, {}, { headers: { "X-Run": "2" } });
    expect(server.requests[0]?.headers).toMatchObject({ "x-team": "it", "x-run": "2" });
  });

  it("keeps the path of baseUrl, with or without a slash at its end", async () => {
    const { server } = await connectClient((_, response) => json(response, { data: { ok: true } }));
    for (const path of ["/eu/v2", "/eu/v2/"]) {
      const client = new GraphQLClient({ baseUrl: server.baseUrl + path, apiKey: API_KEY });
      await client.request(QUERY);
    }
    expect(server.requests.map((request) => request.path)).toEqual(["/eu/v2/graphql", "/eu/v2/graphql"]);
  });

  it("goes through the fetch that the client was given", async () => {
    const urls: string[] = [];
    const client = new GraphQLClient({
      baseUrl: "https://api.example.com",
      apiKey: API_KEY,
      fetch: async (url) => {
        urls.push(url);
        return Response.json({ data: { ok: true } });
      },
    });
    await expect(client.request(QUERY)).resolves.toEqual({ ok: true });
    expect(urls).toEqual(["https://api.example.com/graphql"]);
  });

  it("asks an apiKey function once for each attempt", async () => {
    const keys = ["first", "second"];
    const { client, server, clock } = await connectClient(
      (_, response, index) =>
        index === 0 ? json(response, {}, { status: 503 }) : json(response, { data: { ok: true } }),
      { apiKey: () => keys.shift() ?? "none" },
    );
    const data = client.request(QUERY);
    await server.arrived(1);
    await passPause(clock);
    await data;
    expect(server.requests.map((request) => request.headers.authorization)).toEqual(["first", "second"]);
  });

  it("is not sent where the apiKey function fails, and its failure is the cause", async () => {
    const cause = new Error("vault is sealed");
    const { client, server } = await connectClient(() => {}, {
      apiKey: () => Promise.reject(cause),
    });
    const error = await rejection(client.request(QUERY));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ cause });
    expect(server.requests).toHaveLength(0);
  });

  it("is not sent with an API key that begins with Bearer, which the error tells to leave out", async () => {
    const { client, server } = await connectClient(() => {}, { apiKey: `BEARER ${API_KEY}` });
    const error = await rejection(client.request(QUERY));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(String(error)).toMatch(/apiKey begins with Bearer: give the key alone/);
    expect(inspect(error, { showHidden: true })).not.toContain(API_KEY);
    expect(server.requests).toHaveLength(0);
  });

  it.each(["", "   "])("is not sent with the API key %j, which is none", async (apiKey) => {
    const { client, server } = await connectClient(() => {}, { apiKey });
    expect(await rejection(client.request(QUERY))).toBeInstanceOf(AuthenticationError);
    expect(server.requests).toHaveLength(0);
  });

  it("is refused with an authorization header of its own", async () => {
    const { client, server } = await connectClient(() => {});
    const error = await rejection(client.request(QUERY, {}, { headers: { Authorization: "other" } }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });

  it("is refused with a header value that HTTP does not allow, without quoting it", async () => {
    const { client } = await connectClient(() => {});
    const error = await rejection(client.request(QUERY, {}, { headers: { "x-secret": "hidden\nvalue" } }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).not.toContain("hidden");
  });

  it.each([
    ["a number that is not finite", { input: { price: Number.NaN } }],
    ["undefined in a list", { ids: ["a", undefined] }],
    ["a function in a list", { ids: [() => "a"] }],
    ["a symbol in a list", { ids: [Symbol("a")] }],
    ["a Map", { input: { price: new Map([["amount", 1]]) } }],
    ["a Set", { ids: new Set(["a"]) }],
    ["a BigInt", { input: { price: 10n } }],
    ["an invalid Date", { input: { deadline: new Date("garbage") } }],
    ["a Promise", { input: { name: Promise.resolve("a") } }],
    ["a Promise as a whole variable", { where: Promise.resolve({}) }],
    ["a function as a field", { input: { name: () => "a" } }],
    ["a symbol as a field", { input: { name: Symbol("a") } }],
    ["a RegExp", { where: { name: /a/ } }],
    ["an Error", { where: { name: new Error("a") } }],
    ["a URLSearchParams", { where: new URLSearchParams("a=1") }],
    ["bytes", { input: { name: new Uint8Array([1]) } }],
    ["a boxed number that is not finite", { input: { price: Object(Number.NaN) } }],
  ])("is refused with %s among its variables", async (_, variables) => {
    const { client, server } = await connectClient(() => {});
    expect(await rejection(client.request(QUERY, variables))).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });

  it("names the place of what cannot be sent, and not its value", async () => {
    const { client } = await connectClient(() => {});
    const variables = { input: { rows: [{ ids: ["canary", undefined] }] } };
    const error = await rejection(client.request(QUERY, variables));
    expect(error).toMatchObject({ issues: [{ path: "variables.input.rows[0].ids[1]" }] });
    expect(String(error)).not.toContain("canary");
  });

  it("sends what has a toJSON by it, and the fields of an object of a class", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: {} }));
    class Input {
      name = "a";
      at = new Date(0);
      price = Object("1");
      link = new URL("https://api.example.com/a");
      failure = Object.assign(new Error("a"), { toJSON: () => ["b"] });
    }
    await client.request(QUERY, { input: new Input() });
    const at = "1970-01-01T00:00:00.000Z";
    const input = { name: "a", at, price: "1", link: "https://api.example.com/a", failure: ["b"] };
    expect(server.requests[0]?.body.variables).toEqual({ input });
  });

  it("sends null, an empty object and an empty list as they are", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: {} }));
    const variables = { input: { none: null, empty: {}, left: undefined, list: [null, []] } };
    await client.request(QUERY, variables);
    expect(server.requests[0]?.body.variables).toEqual({
      input: { none: null, empty: {}, list: [null, []] },
    });
  });
});

describe("a client", () => {
  it.each([
    ["no absolute URL", "api.example.com"],
    ["http beyond loopback", "http://api.example.com"],
    ["user info", "https://me:secret@api.example.com"],
    ["a query", "https://api.example.com/?a=1"],
  ])("refuses a baseUrl with %s", (_, baseUrl) => {
    expect(() => new GraphQLClient({ baseUrl, apiKey: API_KEY })).toThrow(ConfigurationError);
  });

  it("needs a credential, and one only", () => {
    const baseUrl = "https://api.example.com";
    expect(() => new GraphQLClient({ baseUrl })).toThrow(ConfigurationError);
    expect(() => new GraphQLClient({ baseUrl, apiKey: "k", authorization: () => "k" })).toThrow(
      ConfigurationError,
    );
  });

  it("shows its API key neither to inspection nor to JSON", () => {
    const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY });
    const shown = inspect([client, client.applications()], { depth: 20, showHidden: true });
    expect(shown + JSON.stringify([client, client.applications()])).not.toContain(API_KEY);
  });

  it("refuses default headers that HTTP does not allow, without quoting them", () => {
    const make = () =>
      new GraphQLClient({
        baseUrl: "https://api.example.com",
        apiKey: API_KEY,
        headers: { "x-a": "hidden\nvalue" },
      });
    expect(make).toThrow(ConfigurationError);
    expect(make).not.toThrow(/hidden/);
  });
});
