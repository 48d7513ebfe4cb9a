/** Where a page lies in its connection (service description, "GraphQL object shapes"). */
export interface PageInfo {
  /** Whether nodes follow the page's last one. */
  readonly hasNextPage: boolean;
  /** Cursor to go on from with `after`; null where a `limit` cut the page, which the server sent larger than asked for. */
  readonly endCursor: string | null;
  /** Whether nodes precede the page's first one. */
  readonly hasPreviousPage: boolean;
  /** Cursor to go on from with `before`; null where a `limit` cut the page. */
  readonly startCursor: string | null;
}

/** One page of a connection. */
export interface Page<Node> {
  /** The nodes in the server's order, when paging backward too. */
  readonly nodes: readonly Node[];
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
  /** Number of nodes over all pages; undefined where a document of your own does not select it. */
  readonly totalCount: number | undefined;
}

/** A connection as a response holds it: `nodes`, and of `pageInfo` what the direction of paging needs. */
export interface ConnectionData<Node> {
  /** The page's nodes; null counts as none. */
  readonly nodes: readonly Node[] | null | undefined;
  /** Forward `hasNextPage` and `endCursor`, backward `hasPreviousPage` and `startCursor`. */
  readonly pageInfo: Partial<PageInfo>;
  /** Number of nodes over all pages. */
  readonly totalCount?: number | null | undefined;
}

/** From the start with `first` and `after`, or from the end with `last` and `before`. */
export type Direction = "forward" | "backward";

/** Which page to ask for. */
export interface PageRequest {
  /** Number of nodes: `first` or `last`. */
  readonly size: number;
  /** `after` or `before`; undefined for the first page. */
  readonly cursor: string | undefined;
}
