import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY } from "../support/http-client.js";
import { forwardPage } from "../support/http-pages.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const NODES = 100;

/**
 * A client of a collection that never ends; every page has its own cursor of 32 characters.
 * @param answered Called with each response.
 */
function endless(answered = (_: Response): void => {}): GraphQLClient {
  let page = 0;
  const answer = () => {
    page += 1;
    const ids = Array.from({ length: NODES }, (_, node) => `node-${page}-${node}`);
    const cursor = `cursor-${page}`.padEnd(32, "x");
    const response = Response.json({ data: { applications: forwardPage(ids, cursor) } });
    answered(response);
    return response;
  };
  const fetch = async () => answer();
  return new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY, fetch });
}

test("a response, which Node keeps until a full garbage collection, doesn't keep its page in memory", async () => {
  const kept: Response[] = [];
  const pages = endless((response) => kept.push(response))
    .applications({ pageSize: NODES })
    .pages();
  const ids: WeakRef<object>[] = [];
  for await (const { nodes } of pages) {
    ids.push(new WeakRef(nodes));
    if (ids.length === 10) break;
  }
  expect(kept.length).toBeGreaterThanOrEqual(10);
  // A page that something refers to is never garbage-collected.
  const left = () => {
    collectGarbage();
    return ids.slice(0, -1).filter((id) => id.deref() !== undefined).length;
  };
  await expect.poll(left).toBe(0);
});
