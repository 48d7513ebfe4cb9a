import { type ASTNode, GraphQLError } from "graphql";

/**
 * Values of `extensions.code`. The service description shows only the first; the others are assumed, and are those of
 * Hot Chocolate where it has one.
 */
export const ErrorCode = {
  notAuthorized: "AUTH_NOT_AUTHORIZED",
  requestInvalid: "HC0009",
  requestTooLarge: "HC0010",
  syntax: "HC0014",
  argumentType: "HC0016",
  argumentRequired: "VALIDATION_ARGUMENT_REQUIRED",
  unknownField: "VALIDATION_UNKNOWN_FIELD",
  tooDeep: "VALIDATION_TOO_DEEP",
  tooCostly: "VALIDATION_TOO_COSTLY",
  validation: "VALIDATION_FAILED",
  nullCondition: "HC0026",
  pageTooLarge: "HC0051",
  pagingArguments: "HC0052",
  invalidCursor: "HC0078",
  negativePageSize: "HC0079",
  invalidInput: "INVALID_INPUT",
  unexpected: "EXEC_FAILED",
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** Where an error of a request lies. */
interface Place {
  readonly nodes?: readonly ASTNode[] | undefined;
  readonly path?: readonly (string | number)[] | undefined;
  /** Place inside the field's arguments: `where.state.activity`. */
  readonly argument?: string | undefined;
}

/** An error that tells the caller what was wrong with the request. */
export function requestError(code: ErrorCode, message: string, place: Place = {}): GraphQLError {
  const { nodes = [], path, argument } = place;
  return new GraphQLError(message, {
    nodes,
    ...(path === undefined ? {} : { path }),
    extensions: { code, ...(argument === undefined ? {} : { argument }) },
  });
}

/** The caller may not do this: no key, a key that is not known or not valid any more, or one that may only read. */
export function notAuthorized(path?: readonly (string | number)[]): GraphQLError {
  const message = "The current user is not authorized to access this resource.";
  return requestError(ErrorCode.notAuthorized, message, { path });
}

/**
 * What an error looks like to the caller. An error that is no {@link requestError} is a fault of this server: nothing
 * of it may leave the process.
 */
export function formatError(error: Readonly<GraphQLError | Error>): GraphQLError {
  if (!(error instanceof GraphQLError)) return requestError(ErrorCode.requestInvalid, error.message);
  if (error.extensions["code"] !== undefined) return error;
  const ours = error.originalError;
  if (ours === undefined || ours === null) {
    return requestError(ErrorCode.validation, error.message, { nodes: error.nodes, path: error.path });
  }
  return requestError(ErrorCode.unexpected, "Unexpected execution error.", {
    nodes: error.nodes,
    path: error.path,
  });
}
