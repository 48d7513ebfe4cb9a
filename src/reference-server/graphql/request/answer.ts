import type { GraphQLError } from "graphql";
import type { Response } from "graphql-http";

/** An answer of this server with errors alone, for what graphql-http has no answer for. */
export function errorAnswer(
  status: number,
  statusText: string,
  error: GraphQLError,
  accept?: string,
): Response {
  const mediaType = accept?.includes("application/graphql-response+json")
    ? "application/graphql-response+json"
    : "application/json";
  const headers = { "content-type": `${mediaType}; charset=utf-8` };
  return [JSON.stringify({ errors: [error], data: null }), { status, statusText, headers }];
}
