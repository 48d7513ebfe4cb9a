import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY } from "../support/http-client.js";
import { forwardPage } from "../support/http-pages.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const PAGES = 500;
const NODES = 100;

/** A client of a collection that never ends; every page has its own cursor of 32 characters. */
function endless(): GraphQLClient {
  let page = 0;
  const answer = () => {
    page += 1;
    const ids = Array.from({ length: NODES }, (_, node) => `node-${page}-${node}`);
    return Response.json({ data: { applications: forwardPage(ids, `cursor-${page}`.padEnd(32, "x")) } });
  };
  const fetch = async () => answer();
  return new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY, fetch });
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test.each(["nodes", "pages"])("keeps only the cursor of each page while it walks %s", async (kind) => {
  const apps = endless().applications({ pageSize: NODES });
  const iterator = (kind === "nodes" ? apps : apps.pages())[Symbol.asyncIterator]();
  const steps = kind === "nodes" ? NODES : 1;
  const walkPages = async (count: number) => {
    for (let step = 0; step < count * steps; step++) await iterator.next();
  };
  // Until the engine has compiled what it runs.
  await walkPages(300);
  const before = heapBytes();
  await walkPages(PAGES);
  const grownPerPage = (heapBytes() - before) / PAGES;
  await iterator.return?.();
  // A page's nodes take about 10,000 bytes; a cursor and its place in the set take less than 200.
  expect(grownPerPage).toBeLessThan(2_000);
});
