import { GraphQLClient } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";

const page = (nodes) => ({ data: { applications: { nodes, pageInfo: { hasNextPage: false } } } });
const answer = new Response(JSON.stringify(page([])), { headers: { "content-type": "application/json" } });

test.each([{}, { signal: new AbortController().signal }])(
  "reads in jsdom, with options %o",
  async (options) => {
    const { SERVED: baseUrl, API_KEY: apiKey } = process.env;
    const client = new GraphQLClient({ baseUrl, apiKey, retry: false });
    expect(await client.applications({ limit: 2, ...options }).toArray()).toHaveLength(2);
  },
);

test("resolves a path against the page's origin", async () => {
  const asked = [];
  const fetch = async (url) => {
    asked.push(String(url));
    return answer;
  };
  const client = new GraphQLClient({ baseUrl: "/api", authorization: "none", fetch });
  expect(await client.applications().toArray()).toEqual([]);
  expect(asked).toEqual(["http://localhost:3000/api/graphql"]);
});
