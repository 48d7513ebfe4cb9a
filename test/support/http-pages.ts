import type { ServerResponse } from "node:http";
import { json, type ReceivedRequest } from "./http-server.js";

/** A page as the connection `applications` holds it. */
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

/** Nodes `n0`, `n1`, …: each node's cursor is `c` and its index. */
export function nodeIds(from: number, to: number): { readonly id: string }[] {
  return Array.from({ length: to - from }, (_, index) => ({ id: `n${from + index}` }));
}

/** The page of a collection of `count` nodes that the request asks for. */
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

/** A forward page with ids, and where it says the walk goes on; undefined for the last page. */
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
