/**
 * Serves 100,000 applications in pages that are rendered in advance, so that the server is never the bottleneck. Prints
 * its port. `/latency/20/graphql` answers 20 ms later than `/graphql`.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { NODES } from "../query.js";

interface Asked {
  readonly query: string;
  readonly variables: {
    readonly first: number;
    readonly after?: string | null;
    readonly cursor?: string | null;
  };
}

const rendered = new Map<string, Buffer[]>();

/** All pages of a given size. Clients with a cache also request `__typename`. */
function pages(size: number, typed: boolean): Buffer[] {
  const key = `${size} ${typed}`;
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const made = Array.from({ length: NODES / size }, (_, page) => render(page * size, size, typed));
  rendered.set(key, made);
  return made;
}

function render(from: number, size: number, typed: boolean): Buffer {
  const named = (name: string) => (typed ? { __typename: name } : {});
  const nodes = Array.from({ length: size }, (_, offset) => {
    const i = from + offset;
    return {
      ...named("ApplicationDiscovery"),
      id: `discovery-${i}`,
      state: i % 3 === 0 ? "SANCTIONED" : "DISCOVERED",
      portfolioType: null,
      lastUsed: "2026-03-01",
      application: {
        ...named("Application"),
        id: `application-${i}`,
        name: `Application number ${i}`,
        vendorName: `Vendor ${i % 997}`,
        category: { ...named("ApplicationCategory"), name: `Category ${i % 31}` },
      },
      owner: { ...named("ApplicationOwner"), id: `owner-${i % 501}`, name: `Person ${i % 501}` },
      userCountStat: { ...named("UserCountStat"), all: i % 1_000, last30Days: i % 100 },
    };
  });
  const pageInfo = {
    ...named("PageInfo"),
    hasNextPage: from + size < NODES,
    endCursor: `c${from + size}`,
    hasPreviousPage: from > 0,
    startCursor: `c${from}`,
  };
  const applications = { ...named("ApplicationsConnection"), nodes, pageInfo, totalCount: NODES };
  return Buffer.from(JSON.stringify({ data: { applications } }));
}

const server = createServer(async (request, response) => {
  const { query, variables }: Asked = JSON.parse(await text(request));
  const after = variables.after ?? variables.cursor;
  const from = typeof after === "string" ? Number(after.slice(1)) : 0;
  const body = pages(variables.first, query.includes("__typename"))[from / variables.first];
  const latency = Number(/^\/latency\/(\d+)\//.exec(request.url ?? "")?.[1] ?? 0);
  if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": body?.byteLength ?? 0,
  });
  response.end(body);
});
// A client may be busy for a long time between two pages, and its connection must stay open.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});
