import type { Connection, GraphQLClient, ListOptions } from "@saas-management/sdk/graphql";
import { CANARY } from "./canary.js";
import type { Range } from "./program.js";
import { cursorAt } from "./rows.js";

/** The field that nodes of all connections have. */
export interface SimNode {
  readonly id: string;
}

interface Things {
  readonly workspace: {
    readonly things: {
      readonly nodes: readonly SimNode[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      readonly totalCount: number;
    };
  };
}

const THINGS = `query Things($size: Int, $from: String, $back: Int, $until: String, $only: String) {
  workspace {
    things(first: $size, after: $from, last: $back, before: $until, only: $only) {
      nodes { id note }
      pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      totalCount
    }
  }
}`;

/** What applies to every connection. */
type ReadOptions = Omit<ListOptions<never, never>, "where" | "order" | "from" | "cursor" | "pageSize">;

/** A part of a connection. @param callId Part of the variables of every request. */
export function connectionOf(
  client: GraphQLClient,
  { connection, direction, pageSize, start }: Range,
  callId: string,
  options: ReadOptions,
): Connection<SimNode> {
  const cursor = start === undefined ? undefined : cursorAt(start);
  return connectionAt(client, { connection, direction, pageSize, cursor }, callId, options);
}

/** The same from a cursor of the service. */
export function connectionAt(
  client: GraphQLClient,
  {
    connection,
    direction,
    pageSize,
    cursor,
  }: Pick<Range, "connection" | "direction" | "pageSize"> & { readonly cursor: string | undefined },
  callId: string,
  options: ReadOptions,
): Connection<SimNode> {
  const only = `${callId} ${CANARY}`;
  const from = direction === "forward" ? "start" : "end";
  const paging = { ...options, from, pageSize, cursor } as const;
  if (connection === "things")
    return client.paginate(
      THINGS,
      { only },
      {
        ...paging,
        select: ({ workspace }: Things) => workspace.things,
        variableNames: { first: "size", after: "from", last: "back", before: "until" },
      },
    );
  return client[connection]({ ...paging, where: { id: { neq: only } } });
}
