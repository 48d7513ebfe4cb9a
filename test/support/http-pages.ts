import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { json, type ReceivedRequest } from "./http-server.js";

/** A page of the connection `applications`. */
export interface ServedPage {
  readonly nodes: readonly { readonly id: string }[] | null;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly endCursor: string | null;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
  };
  readonly totalCount: number;
}

/** Answers with a page of `applications`. */
export function servePage(response: ServerResponse, page: ServedPage): void {
  json(response, { data: { applications: page } });
}

/** Nodes `n0`, `n1`, … with the cursors `c0`, `c1`, … */
export function nodeIds(from: number, to: number): { readonly id: string }[] {
  return Array.from({ length: to - from }, (_, index) => ({ id: `n${from + index}` }));
}

/** The requested page of a collection of `count` nodes. */
export function pageOf(count: number, request: ReceivedRequest): ServedPage {
  const { first, after, last, before } = request.body.variables;
  const begin = typeof after === "string" ? Number(after.slice(1)) + 1 : 0;
  const end = typeof before === "string" ? Number(before.slice(1)) : count;
  const from = typeof last === "number" ? Math.max(begin, end - last) : begin;
  const to = typeof first === "number" ? Math.min(end, begin + first) : end;
  return {
    nodes: nodeIds(from, to),
    pageInfo: {
      hasNextPage: to < count,
      endCursor: to > from ? `c${to - 1}` : null,
      hasPreviousPage: from > 0,
      startCursor: to > from ? `c${from}` : null,
    },
    totalCount: count,
  };
}

/** A forward page. @param endCursor undefined for the last page */
export function forwardPage(ids: readonly string[], endCursor: string | null | undefined): ServedPage {
  return {
    nodes: ids.map((id) => ({ id })),
    pageInfo: {
      hasNextPage: endCursor !== undefined,
      endCursor: endCursor ?? null,
      hasPreviousPage: false,
      startCursor: null,
    },
    totalCount: 0,
  };
}

/** A server in another thread, so that it answers while the test's thread is busy. */
export interface BusyServer {
  readonly baseUrl: string;
  /** Number of requests so far, readable without yielding. */
  arrived(): number;
}

/** Every page of `applications` has two nodes and a next page. */
const SERVER = `
const { createServer } = require("node:http");
const { parentPort, workerData } = require("node:worker_threads");
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const page = Atomics.add(workerData, 0, 1);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: { applications: {
      nodes: [{ id: "a" + page }, { id: "b" + page }],
      pageInfo: { hasNextPage: true, endCursor: "c" + page },
      totalCount: 1000,
    } } }));
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

export async function startBusyServer(): Promise<BusyServer> {
  const counter = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(SERVER, { eval: true, workerData: counter });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = await once(worker, "message");
  return { baseUrl: `http://127.0.0.1:${port}`, arrived: () => Atomics.load(counter, 0) };
}
