import type { Connection, ConnectionOptions, GraphQLClient } from "@saas-management/sdk/graphql";
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

/** A part of a connection. @param callId Part of the variables of every request. */
export function connectionOf(
  client: GraphQLClient,
  { connection, direction, pageSize, start }: Range,
  callId: string,
  options: ConnectionOptions,
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
  options: ConnectionOptions,
): Connection<SimNode> {
  const only = `${callId} ${CANARY}`;
  const forward = direction === "forward";
  if (connection === "things") {
    const { select, names } = THINGS_OPTIONS[direction];
    const variables = forward ? { only, from: cursor } : { only, until: cursor };
    return client.paginate<Things, SimNode>(THINGS, variables, { ...options, ...names, select, pageSize });
  }
  const paging = forward ? { first: pageSize, after: cursor } : { last: pageSize, before: cursor };
  return client[connection]({ ...paging, where: { id: { neq: only } } }, options);
}

const select = ({ workspace }: Things) => workspace.things;
const THINGS_OPTIONS = {
  forward: { select, names: { first: "size", after: "from" } },
  backward: { select, names: { last: "back", before: "until" } },
} as const;
