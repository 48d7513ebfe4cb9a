import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import {
  ConfigurationError,
  createGraphQLHandler,
  GraphQLClient,
  type GraphQLOptions,
  GraphQLResponseError,
  isMutationError,
} from "@saas-management/sdk/graphql";
import { fetchExchange, Client as UrqlClient } from "@urql/core";
import { parse } from "graphql";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveHandler } from "../support/http-server.js";
import { rejection } from "../support/promises.js";
import { NEW_CASE } from "../support/records.js";
import { testService } from "../support/test-service.js";

type HandlerOptions = Parameters<typeof createGraphQLHandler>[0];

const service = testService({
  server: { portfolio: { applications: [{ name: "Figma" }, { name: "Slack" }, { name: "Zoom" }] } },
});
const NAMES = "query Names($first: Int) { applications(first: $first) { nodes { application { name } } } }";
const KEY = "sk-canary";

function handle(options: Partial<HandlerOptions> = {}) {
  return createGraphQLHandler({ client: service.graphql, allow: [NAMES], ...options });
}

/** The client in a page, in front of a handler. */
async function page(options: Partial<HandlerOptions>, own: Partial<GraphQLOptions> = {}) {
  const baseUrl = await serveHandler(handle(options));
  return new GraphQLClient({ baseUrl, authorization: "none", retry: false, ...own });
}

/** A handler whose client gets this answer from the service. */
function answeredWith(answer: () => Response | Promise<Response>, options: Partial<HandlerOptions> = {}) {
  const fetch = async () => answer();
  const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: KEY, fetch });
  return handle({ client, ...options });
}

const post = (body: unknown, init: RequestInit = {}) =>
  new Request("http://localhost/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });

const codeOf = async (answer: Response) => {
  const { errors } = await answer.json();
  return [answer.status, errors[0].extensions.code];
};

test("serves the allowed methods and documents of a client, with the server's key", async () => {
  const client = await page({
    allow: ["applications", "createProcurementCase", "updateProcurementCase", NAMES],
  });
  const names: string[] = [];
  for await (const { application } of client.applications({ pageSize: 2 })) names.push(application.name);
  expect(names.sort()).toEqual(["Figma", "Slack", "Zoom"]);
  expect(await client.createProcurementCase(NEW_CASE)).toMatchObject({ name: NEW_CASE.name });
  const refusal = await rejection(client.updateProcurementCase({ id: "none", name: "x" }));
  expect(isMutationError(refusal, "updateProcurementCase")).toBe(true);
  expect(await client.request(NAMES, { first: 1 })).toMatchObject({ applications: { nodes: [{}] } });
});

test("refuses to change vendors without a condition, as the client's method does", async () => {
  const client = await page({ allow: ["changeVendorsState"] });
  const name = { name: { eq: "Figma" } };
  expect(await client.changeVendorsState({ state: "SANCTIONED" }, { vendor: name })).toHaveProperty(
    "updatedCount",
  );
  const refusal = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, "all"));
  expect(refusal).toMatchObject({ status: 400, errors: [{ extensions: { code: "INVALID_REQUEST" } }] });
});

test("recognizes a document in any layout, even if it was allowed in parsed form", async () => {
  const document: TypedDocumentNode<unknown, object> = parse(NAMES);
  const client = await page({ allow: [document] });
  expect(await client.request(`# names\n${NAMES.replaceAll(" ", "\n  ")}`, {})).toHaveProperty(
    "applications",
  );
});

const LISTED = "query Apps { applications { nodes { id application { name } } } }";

test("works for Apollo Client without any settings, although Apollo adds __typename", async () => {
  const uri = await serveHandler(handle({ allow: [LISTED] }));
  const apollo = new ApolloClient({ link: new HttpLink({ uri }), cache: new InMemoryCache() });
  const { data } = await apollo.query<{ applications: object }>({ query: parse(LISTED) });
  const node = { __typename: "ApplicationDiscovery", application: { name: "Figma" } };
  expect(data?.applications).toMatchObject({ nodes: [node, {}, {}] });
  apollo.stop();
});

test("works for urql with preferGetMethod: false, with and without __typename", async () => {
  const url = await serveHandler(handle({ allow: [LISTED] }));
  const urql = new UrqlClient({ url, preferGetMethod: false, exchanges: [fetchExchange] });
  for (const document of [LISTED, LISTED.replaceAll(" }", " __typename }").replace(/__typename }$/, "}")])
    expect(await urql.query(document, {}).toPromise()).toMatchObject({
      error: undefined,
      data: { applications: { nodes: [{}, {}, {}] } },
    });
});

test.each([
  ["an alias for __typename", NAMES.replace("nodes {", "nodes { kind: __typename")],
  ["a directive on it", NAMES.replace("nodes {", "nodes { __typename @include(if: true)")],
  ["another field", NAMES.replace("nodes {", "nodes { id __typename")],
  ["a field in place of it", "query Names($first: Int) { applications(first: $first) { __typename } }"],
])("still refuses a document that differs by %s, and says what to do", async (_, query) => {
  const answer = await handle()(post({ query }));
  expect(await answer.json()).toMatchObject({
    errors: [
      {
        message: expect.stringContaining("add it to `allow` and restart"),
        extensions: { code: "DOCUMENT_NOT_ALLOWED" },
      },
    ],
  });
});

test("refuses every other document, even under the name of an allowed one", async () => {
  const client = await page({ allow: ["applications", NAMES] });
  for (const document of [
    "query Names { licenses { totalCount } }",
    "{ __schema { types { name } } }",
    "{",
  ]) {
    const error = await rejection(client.request(document, {}));
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ status: 400, errors: [{ extensions: { code: "DOCUMENT_NOT_ALLOWED" } }] });
  }
  expect(await rejection(client.licenses().firstPage())).toBeInstanceOf(GraphQLResponseError);
});

test.each<[string, Request, number, string]>([
  ["another method", new Request("http://localhost/graphql"), 405, "METHOD_NOT_ALLOWED"],
  ["a form of another site", post("query=x", { headers: { "content-type": "text/plain" } }), 415, "NOT_JSON"],
  ["JSON that is cut off", post('{"query":'), 400, "INVALID_REQUEST"],
  ["a body without a query", post([]), 400, "INVALID_REQUEST"],
  ["variables that are a list", post({ query: NAMES, variables: [1] }), 400, "INVALID_REQUEST"],
  ["a body that is too large", post({ query: NAMES, x: "x".repeat(200) }), 413, "REQUEST_TOO_LARGE"],
])("refuses %s", async (_, request, status, code) => {
  expect(await codeOf(await handle({ maxRequestBytes: 200 })(request))).toEqual([status, code]);
});

test("gives up on a body that does not end, and on a service that does not answer", async () => {
  const late = new AbortController();
  const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
  onTestFinished(() => limit.mockRestore());
  const unread = handle({ timeoutMs: 20 })(post("", { body: new ReadableStream({}), ...{ duplex: "half" } }));
  const silent = answeredWith(() => {
    late.abort();
    return new Promise(() => {});
  });
  expect(await codeOf(await silent(post({ query: NAMES })))).toEqual([504, "TIMEOUT"]);
  expect(await codeOf(await unread)).toEqual([504, "TIMEOUT"]);
  expect(limit.mock.calls).toEqual([[20], [30_000]]);
});

test("paths and codes reach the page, but no key, header or message of the service", async () => {
  const secret = `the key ${KEY} of 10.0.0.7 may not`;
  const answer = answeredWith(() =>
    Response.json(
      {
        data: { applications: null, ok: 1 },
        errors: [
          { message: secret, path: ["applications"], extensions: { code: "INTERNAL", stack: secret } },
        ],
      },
      { headers: { "x-internal": secret, "set-cookie": "a=b", "x-request-id": "r-1" } },
    ),
  );
  const { headers, ...rest } = await answer(post({ query: NAMES })).then(async (response) => ({
    headers: Object.fromEntries(response.headers),
    status: response.status,
    body: await response.json(),
  }));
  expect(rest).toEqual({
    status: 200,
    body: {
      data: { applications: null, ok: 1 },
      errors: [
        {
          message: "The service answered with an error.",
          path: ["applications"],
          extensions: { code: "INTERNAL" },
        },
      ],
    },
  });
  expect(headers).toEqual({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
});

test.each([
  { client: undefined },
  { allow: "applications" },
  { timeoutMs: 0 },
  { maxRequestBytes: -1 },
  { x: 1 },
])("refuses the options %j", (wrong) => {
  expect(() => handle(JSON.parse(JSON.stringify(wrong, (_, value) => value ?? null)))).toThrow(
    ConfigurationError,
  );
});

test("rejects if `allow` contains something that isn't a document, such as a mistyped name", async () => {
  await expect(handle({ allow: ["licence"] })(post({ query: "licence" }))).rejects.toThrow(
    "allow[0] is not a valid document.",
  );
});
