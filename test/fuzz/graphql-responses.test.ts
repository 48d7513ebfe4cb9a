import { GraphQLClient } from "@saas-management/sdk/graphql";
import { startReferenceServer } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { mutatedBytes, mutatedJson } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { NEW_CASE } from "../support/records.js";

vi.setConfig({ testTimeout: TIMEOUT_MS });

const KEY = "canary-key-6f1d";

/** Bodies of the reference server: pages, a mutation and errors. */
async function realBodies(): Promise<string[]> {
  await using server = await startReferenceServer();
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    const text = await response.text();
    bodies.push(text);
    return new Response(text, { status: response.status, headers: response.headers });
  };
  const { baseUrl, apiKey } = server;
  const client = new GraphQLClient({ baseUrl, apiKey, fetch });
  const stranger = new GraphQLClient({ baseUrl, apiKey: "nobody", fetch, retry: false });
  for (const walk of [client.applications(), client.licenses(), client.licensePlans()]) await walk.toArray();
  await client.createProcurementCase(NEW_CASE);
  await client.rawRequest("query Q { nothing }", {});
  await client.changeVendorsState({ state: "SANCTIONED" }, "all");
  await stranger.rawRequest("query Q { __typename }", {}).catch(() => {});
  await client.close();
  await stranger.close();
  return [
    ...bodies,
    '{"data":{"licenses":{"nodes":[{"id":"1"}],"pageInfo":{"hasNextPage":true,"endCursor":"c"}}}}',
  ];
}

const bodies = await realBodies();

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant("application/json; charset=utf-8") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "text/html",
      "application/graphql-response+json",
      "application/json;charset=x",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'\tabc/;="\u0080\u009b\u00ff') }) },
);
const answer = fc.record({
  body: fc.oneof(mutatedBytes(bodies.map((text) => Buffer.from(text))), mutatedJson(bodies)),
  status: fc.oneof(
    { weight: 8, arbitrary: fc.constant(200) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(201, 301, 400, 401, 403, 404, 418, 429, 500, 502, 503, 504, 599),
    },
  ),
  contentType,
  retryAfter: fc.constantFrom("", "0", "-1", "1e9", "NaN", "Wed, 21 Oct 2015 07:28:00 GMT", "\u0080"),
});

/** Calls everything that reads answers. */
async function useAll(client: GraphQLClient): Promise<void> {
  await outcomeOf(() => client.request("query Q { a }", {}));
  await outcomeOf(() => client.rawRequest("query Q { a }", {}));
  for (const walk of [client.licenses(), client.applications({ from: "end", pageSize: 2 })]) {
    await outcomeOf(async () => {
      let left = 5;
      for await (const page of walk.pages()) {
        expect(Array.isArray(page.nodes)).toBe(true);
        left -= 1;
        if (left === 0) break;
      }
    });
    await outcomeOf(() => walk.totalCount());
  }
  await outcomeOf(() => client.createProcurementCase(NEW_CASE));
  await outcomeOf(() => client.updateProcurementCase({ id: "1", name: "a" }));
  await outcomeOf(() => client.changeVendorsState({ state: "SANCTIONED" }, "all"));
}

test("returns a result or an SDK error for any answer of fetch", async () => {
  const property = fc.asyncProperty(answer, async ({ body, status, contentType: type, retryAfter }) => {
    const fetch = async () =>
      new Response(body, { status, headers: { "content-type": type, "retry-after": retryAfter } });
    const client = new GraphQLClient({ baseUrl: "http://127.0.0.1:9", apiKey: KEY, fetch, retry: false });
    await useAll(client);
    await client.close();
  });
  await holds({ group: "GraphQL responses", what: "answers of a fetch" }, property);
});
