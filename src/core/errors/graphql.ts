import { annotate, type ErrorDetails, hide, SaasManagementError, type WalkPosition } from "./base.js";

/** One entry of a GraphQL response's `errors` (service description, "Errors"). */
export interface GraphQLErrorEntry {
  /** The server's message: not for end users. */
  readonly message: string;
  /** Where in the result the error happened. */
  readonly path?: readonly (string | number)[];
  /** Positions in the document: lines and columns, from 1. */
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  /** Further facts, including `code`. */
  readonly extensions?: Readonly<Record<string, unknown>> & { readonly code?: string };
}

/** The response has entries in `errors` (service description, "Errors"). */
export class GraphQLResponseError extends SaasManagementError {
  static readonly code = "GRAPHQL_ERRORS";
  /** @internal */
  static override readonly name = "GraphQLResponseError";
  override readonly code = GraphQLResponseError.code;
  /** The entries. Not enumerable. */
  declare readonly errors: readonly GraphQLErrorEntry[];
  /** The partial data beside them; `null` or undefined if there is none. Not enumerable. */
  declare readonly data: unknown;
  /** HTTP status of the response. */
  readonly status: number;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly errors: readonly GraphQLErrorEntry[];
      readonly data: unknown;
      readonly status: number;
    },
  ) {
    super(message, details);
    this.status = details.status;
    hide(this, "errors", details.errors);
    hide(this, "data", details.data);
  }
}

/** One typed error of a mutation's payload. */
export interface MutationErrorEntry {
  /** The error's type in the schema. */
  readonly __typename: string;
  /** The server's message: not for end users. */
  readonly message: string;
}

/**
 * The payload of a mutation has typed errors (service description, "Typed mutation errors"): the change was not made, or
 * only in part.
 */
export class MutationError<
  Entry extends MutationErrorEntry = MutationErrorEntry,
> extends SaasManagementError {
  static readonly code = "MUTATION_REJECTED";
  /** @internal */
  static override readonly name = "MutationError";
  override readonly code = MutationError.code;
  /** Name of the mutation. */
  readonly mutation: string;
  /** The typed errors. Not enumerable. */
  declare readonly errors: readonly Entry[];

  constructor(
    message: string,
    details: ErrorDetails & { readonly mutation: string; readonly errors: readonly Entry[] },
  ) {
    super(message, details);
    this.mutation = details.mutation;
    hide(this, "errors", details.errors);
  }
}

/** The walk over a connection cannot continue: its cursor repeats or is missing, or the answer is not a page. */
export class PaginationError extends SaasManagementError {
  static readonly code = "PAGINATION";
  /** @internal */
  static override readonly name = "PaginationError";
  override readonly code = PaginationError.code;

  constructor(message: string, details: ErrorDetails & WalkPosition) {
    super(message, details);
    const { cursor, nodesYielded } = details;
    annotate(this, { position: { cursor, nodesYielded } });
  }

  /** Cursor of the last valid page, to continue from. The same as in `position`. */
  get cursor(): string | undefined {
    return this.position?.cursor;
  }

  /** Number of nodes yielded before. The same as in `position`. */
  get nodesYielded(): number {
    return this.position?.nodesYielded ?? 0;
  }
}
