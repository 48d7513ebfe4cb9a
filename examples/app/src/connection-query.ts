import type { Connection, Page } from "@saas-management/sdk/graphql";

type Cursor = string | undefined;

/** What `infiniteQueryOptions` needs to know about a connection: how to read a page, and where the next one begins. */
interface ConnectionQuery<Node> {
  readonly queryFn: (context: {
    readonly pageParam: Cursor;
    readonly signal: AbortSignal;
  }) => Promise<Page<Node>>;
  readonly initialPageParam: Cursor;
  readonly getNextPageParam: (page: Page<Node>) => Cursor | null;
}

/** @param connection makes the connection that begins at a cursor; TanStack uses the signal to cancel the request */
export function connectionQuery<Node>(
  connection: (page: { readonly cursor: Cursor; readonly signal: AbortSignal }) => Connection<Node>,
): ConnectionQuery<Node> {
  return {
    queryFn: ({ pageParam: cursor, signal }) => connection({ cursor, signal }).firstPage(),
    initialPageParam: undefined,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  };
}
