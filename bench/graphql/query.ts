/** Number of applications on the benchmark's server. */
export const NODES = 100_000;

/** The part of a node that the benchmark counts, so that every client has to produce its nodes. */
export interface Application {
  readonly id: string;
  readonly userCountStat: { readonly all: number };
}

export interface Result {
  readonly applications: {
    readonly nodes: readonly Application[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

export interface Variables {
  readonly first: number;
  readonly after?: string | undefined;
}

/** The query behind the facade's `applications`; clients name the cursor's variable differently. */
export function applicationsQuery(cursor: "after" | "cursor"): string {
  return `query Applications($first: Int, $${cursor}: String) {
    applications(first: $first, after: $${cursor}) {
      nodes {
        id
        state
        portfolioType
        lastUsed
        application { id name vendorName category { name } }
        owner { id name }
        userCountStat { all last30Days }
      }
      pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      totalCount
    }
  }`;
}
