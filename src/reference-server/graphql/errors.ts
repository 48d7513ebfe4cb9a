import { type ASTNode, type ExecutionResult, GraphQLError } from "graphql";
import type { Response } from "graphql-http";
import { reportDefect } from "../network.js";

/**
 * Values of `extensions.code`. The service description shows only the first value. The others are assumptions, taken
 * from Hot Chocolate where it has a matching code.
 */
export const ErrorCode = {
  notAuthorized: "AUTH_NOT_AUTHORIZED",
  requestInvalid: "HC0009",
  syntax: "HC0014",
  argumentType: "HC0016",
  argumentRequired: "VALIDATION_ARGUMENT_REQUIRED",
  unknownField: "VALIDATION_UNKNOWN_FIELD",
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

export interface ErrorPlace {
  readonly nodes?: readonly ASTNode[] | undefined;
  readonly path?: readonly (string | number)[] | undefined;
  /** Path within the arguments of the field: `where.state.activity`. */
  readonly argument?: string | undefined;
  /** Set only if a page is too large. */
  readonly requestedItems?: number;
  readonly maxAllowedItems?: number;
}

export function requestError(code: ErrorCode, message: string, place: ErrorPlace = {}): GraphQLError {
  const { nodes = null, path = null, argument, ...limit } = place;
  const extensions = { code, ...(argument === undefined ? {} : { argument }), ...limit };
  return new GraphQLError(message, { nodes, path, extensions });
}

/** The key is missing, unknown or revoked, or it may only read. */
export function notAuthorized(path?: readonly (string | number)[]): GraphQLError {
  const message = "The current user is not authorized to access this resource.";
  return requestError(ErrorCode.notAuthorized, message, { path });
}

export function unexpectedError(place?: ErrorPlace): GraphQLError {
  return requestError(ErrorCode.unexpected, "Unexpected execution error.", place);
}

/**
 * The part of an error that the caller sees. An error without a code is a bug in this server, and is reported only in
 * the server's process.
 */
export function formatError(error: Readonly<GraphQLError | Error>): GraphQLError {
  if (!(error instanceof GraphQLError)) {
    // An error of graphql-http may come from another copy of graphql.
    const code = error.name === "GraphQLError" ? ErrorCode.validation : ErrorCode.requestInvalid;
    return requestError(code, error.message);
  }
  if (error.extensions["code"] !== undefined) return error;
  const { nodes, path, originalError } = error;
  if (originalError == null) return requestError(ErrorCode.validation, error.message, { nodes, path });
  reportDefect(originalError);
  return unexpectedError({ nodes, path });
}

/** An answer to an invalid request. If graphql-http has another copy of graphql, it doesn't recognize our errors. */
export function invalidAnswer(errors: readonly GraphQLError[], accept?: string): Response {
  const result = { errors: errors.map(formatError) };
  return isGraphQLType(accept)
    ? errorAnswer(400, "Bad Request", result, accept)
    : errorAnswer(200, "OK", result, accept);
}

/** An answer for cases that graphql-http doesn't cover. */
export function errorAnswer(
  status: number,
  statusText: string,
  result: ExecutionResult,
  accept?: string,
): Response {
  const mediaType = isGraphQLType(accept) ? "application/graphql-response+json" : "application/json";
  const headers = { "content-type": `${mediaType}; charset=utf-8` };
  return [JSON.stringify(result), { status, statusText, headers }];
}

function isGraphQLType(accept: string | undefined): boolean {
  return accept?.includes("application/graphql-response+json") === true;
}
