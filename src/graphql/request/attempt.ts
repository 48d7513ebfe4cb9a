import { SaasManagementError } from "../../core/errors/index.js";
import type { AttemptContext } from "../../core/operation.js";
import type { GraphQLOptions } from "../../core/options.js";
import type { HeaderRecord } from "../options.js";
import { areAboutRequest, readErrorEntries, redactStrings } from "./error-entries.js";
import type { Failures } from "./failures.js";
import { discardBody, type GraphQLAnswer, isJson, isRedirect, readText } from "./response.js";
import { isJsonObject, type JsonObject } from "./variables.js";

// Everything that needs graphql, or is needed only for an answer, is loaded with this file.
export { stripIgnoredCharacters } from "graphql";
export { readDocument } from "./document.js";
export { Failures, UNKNOWN_OUTCOME } from "./failures.js";

export interface Attempt<Data, Result> {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly credentials: GraphQLOptions["credentials"];
  /** Without the credential. */
  readonly headers: HeaderRecord;
  readonly body: { readonly query: string; readonly variables: JsonObject };
  readonly maxResponseBytes: number;
  readonly repeatable: boolean;
  readonly context: AttemptContext;
  readonly failures: Failures;
  readonly read: AnswerReader<Data, Result>;
  readonly progress: Progress;
}

/** What is known of a request when it fails. */
interface Progress {
  /** Whether anything was given to `fetch`, in this attempt or before. */
  sent: boolean;
  /** Whether the answer to this attempt says that the operation was not begun. */
  notBegun: boolean;
}

/** Takes what the caller wants from an answer, or throws. */
export type AnswerReader<Data, Result> = (answer: GraphQLAnswer<Data>, failures: Failures) => Result;

/** A parsed body whose parts have the right types. */
interface Body<Data> {
  readonly data: Data | null;
  readonly errors: readonly unknown[];
}

/** As undici says it in the mode `error`. */
const REDIRECT = new Error("unexpected redirect");

/** Sends one request and reads its answer. */
export async function sendAttempt<Data, Result>(attempt: Attempt<Data, Result>): Promise<Result> {
  const { context, failures, maxResponseBytes, progress } = attempt;
  progress.notBegun = false;
  const response = await send(attempt);
  const { headers, ok, status } = response;
  context.answered((name) => headers.get(name));
  progress.notBegun = status === 401;
  if (isRedirect(response) || !isJson(headers)) {
    discardBody(response);
    throw isRedirect(response) ? failures.network(REDIRECT, response) : failures.notJson(response);
  }
  const text = await readText(response, { maxBytes: maxResponseBytes, signal: context.signal, failures });
  const body = parseBody<Data>(text, context.redact);
  if (body === undefined) throw failures.notGraphQL(response);
  const { data } = ok ? body : { data: null };
  const answer = { status, headers, data, errors: readErrorEntries(body.errors) };
  if (ok && answer.errors.length === 0) return attempt.read(answer, failures);
  if (body.data === null && areAboutRequest(body.errors)) progress.notBegun = true;
  const refusal = failures.ofStatus(answer, answer.errors[0]?.message) ?? failures.ofEntries(answer);
  if (refusal !== undefined) throw refusal;
  return attempt.read(answer, failures);
}

async function send<Data, Result>(attempt: Attempt<Data, Result>): Promise<Response> {
  // Not called as a method: a browser's fetch refuses to be one.
  const { body, context, credentials, failures, fetch, headers, progress, repeatable, url } = attempt;
  const { authorization, carried, signal } = context;
  signal.throwIfAborted();
  progress.sent = true;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...carried, ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
      // Some runtimes of the edge throw for `credentials`.
      ...(credentials !== undefined && { credentials }),
    });
    if (typeof response?.headers?.get === "function") return response;
  } catch (error) {
    // A fetch of the caller may throw an error that promises more than this request allows.
    if (error instanceof SaasManagementError && (repeatable || !error.retryable)) throw error;
    throw failures.network(error);
  }
  throw failures.network(new TypeError("fetch did not return a Response"));
}

/** Returns undefined if the text is not a GraphQL response. */
function parseBody<Data>(text: string, redact: (text: string) => string): Body<Data> | undefined {
  let body: { readonly data?: Data | null; readonly errors?: unknown };
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data = null, errors } = isJsonObject(body) ? body : {};
  if ((data !== null && !isJsonObject(data)) || !Array.isArray(errors ?? [])) return undefined;
  if (!Array.isArray(errors) || errors.length === 0) return { data, errors: [] };
  // A server may echo the credential in an error, and in whatever it sends with it.
  redactStrings([data, errors], redact);
  return { data, errors };
}
