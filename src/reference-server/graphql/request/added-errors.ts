import type { Response } from "graphql-http";
import type { GraphQLErrorsFault, InjectedGraphQLError } from "../../faults/graphql-kinds.js";
import { isObject } from "../../is-object.js";

const DEFAULT_ERRORS: readonly InjectedGraphQLError[] = [{ message: "Injected fault." }];

/** The answer with more `errors`, and with its data or without. One that is no JSON stays as it is. */
export function withErrors(
  answer: Response,
  { errors = DEFAULT_ERRORS, data = "none" }: GraphQLErrorsFault,
): Response {
  const [body, head] = answer;
  const result: unknown = body === null ? null : JSON.parse(body);
  if (!isObject(result)) return answer;
  const own = Array.isArray(result["errors"]) ? result["errors"] : [];
  const added = errors.map(({ message, code, path }) => ({
    message,
    ...(path === undefined ? {} : { path }),
    ...(code === undefined ? {} : { extensions: { code } }),
  }));
  const kept = data === "partial" ? {} : { data: null };
  return [JSON.stringify({ ...result, ...kept, errors: [...own, ...added] }), head];
}
