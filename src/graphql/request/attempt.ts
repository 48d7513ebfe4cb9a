import { ClientError, GraphQLClient as RequestClient } from "graphql-request";
import { SaasManagementError } from "../../core/errors/index.js";
import { type AttemptContext, readRequestId } from "../../core/operation.js";
import type { GraphQLConfiguration, HeaderRecord } from "../options.js";
import { areAboutRequest, readErrorEntries, redactStrings } from "./error-entries.js";
import type { AnswerReader, Failures } from "./failures.js";
import { discardBody, isJson, isRedirect, readText } from "./response.js";
import { isJsonObject, type JsonObject } from "./variables.js";

// This file loads all code that needs graphql or graphql-request, or that isn't needed until a response arrives.
export { keyedDocument, readDocument } from "./document.js";
export { Failures, UNKNOWN_OUTCOME } from "./failures.js";

export interface Attempt<Data, Result> {
  readonly configuration: GraphQLConfiguration;
  /** Without the credential. */
  readonly headers: HeaderRecord;
  readonly body: { readonly query: string; readonly variables: JsonObject };
  readonly context: AttemptContext;
  readonly failures: Failures;
  readonly read: AnswerReader<Data, Result>;
  readonly progress: Progress;
}

/** How far a request got before it failed. */
interface Progress {
  /** Whether anything was passed to `fetch`, in this attempt or an earlier one. */
  sent: boolean;
  /** Whether the response to this attempt says that the operation didn't start. */
  notBegun: boolean;
}

/** A parsed body whose parts have the right types. */
interface Body {
  readonly data: JsonObject | null;
  /** False if nothing was executed (GraphQL specification, 7.1). */
  readonly hasData: boolean;
  readonly errors: readonly unknown[];
}

/** The error that undici reports in redirect mode `error`. */
const REDIRECT = new Error("unexpected redirect");

/**
 * Sends one request and reads the response. An error from graphql-request contains the whole request, so it never
 * leaves this function.
 */
export async function sendAttempt<Data, Result>(attempt: Attempt<Data, Result>): Promise<Result> {
  const { configuration, context, failures, progress, read } = attempt;
  const { credentials, fetch, maxResponseBytes, url } = configuration;
  const { authorization, carried, redact, signal } = context;
  progress.notBegun = false;
  const received: { response?: Response; body?: Body } = {};
  // graphql-request never sees the credential, and doesn't copy the headers.
  const headers = { ...attempt.headers, ...carried, ...(authorization !== undefined && { authorization }) };
  // Some edge runtimes throw if `credentials` is set.
  const own = credentials === undefined ? { headers } : { headers, credentials };
  const client = new RequestClient(url, {
    errorPolicy: "all",
    excludeOperationName: true,
    redirect: "manual",
    fetch: async (_, init) => {
      signal.throwIfAborted();
      progress.sent = true;
      const response = await fetch(url, { ...init, ...own });
      if (typeof response?.headers?.get !== "function")
        throw new TypeError("fetch did not return a Response");
      received.response = response;
      context.answered((name) => response.headers.get(name));
      progress.notBegun = response.status === 401;
      if (isRedirect(response) || !isJson(response.headers)) {
        discardBody(response);
        throw isRedirect(response) ? failures.network(REDIRECT, response) : failures.notJson(response);
      }
      const text = await readText(response, { maxBytes: maxResponseBytes, signal, failures });
      received.body = parseBody(text, redact);
      // Some engines make a response's `text` read-only.
      return Object.defineProperty(response, "text", { value: noText });
    },
    jsonSerializer: { stringify: JSON.stringify, parse: () => received.body },
  });
  let data: Data | null = null;
  try {
    ({ data } = await client.rawRequest<Data, object>({ ...attempt.body, signal }));
  } catch (error) {
    // The caller's fetch may throw an SDK error that claims to be retryable when this request isn't.
    if (error instanceof SaasManagementError && (failures.context.repeatable || !error.retryable))
      throw error;
    const { response, body } = received;
    if (response === undefined || error instanceof SaasManagementError)
      throw failures.network(error, response);
    // graphql-request also throws for a status that isn't a success.
    if (body === undefined || !(error instanceof ClientError)) throw failures.notGraphQL(response);
  }
  const { response, body } = received;
  if (response === undefined || body === undefined) throw failures.network(undefined, response);
  const requestId = readRequestId((name) => response.headers.get(name), redact);
  const head = { status: response.status, headers: response.headers, requestId, data };
  if (body.errors.length === 0 && response.ok) return read({ ...head, errors: [] }, failures);
  const isAboutRequest = areAboutRequest(body.errors);
  if (body.data === null && isAboutRequest) progress.notBegun = true;
  failures.isDoubtful = response.status >= 500 || body.hasData || !isAboutRequest;
  const answer = { ...head, errors: readErrorEntries(body.errors) };
  const refusal = failures.ofStatus(answer, answer.errors[0]?.message) ?? failures.ofEntries(answer);
  if (refusal !== undefined) throw refusal;
  return read(answer, failures);
}

/**
 * Replaces the text of a parsed response, because Node keeps a response and everything it refers to until the next full
 * garbage collection.
 */
async function noText(): Promise<string> {
  return "";
}

function parseBody(text: string, redact: (text: string) => string): Body {
  const parsed: unknown = JSON.parse(text);
  const body = isJsonObject(parsed) ? parsed : {};
  const { data = null, hasNext } = body;
  const errors = body["errors"] ?? [];
  const isWhole = (data === null || isJsonObject(data)) && hasNext !== true;
  if (!isWhole || !Array.isArray(errors)) throw new SyntaxError("not a GraphQL response");
  // A server may echo the credential in an error, or in the data that it sends along.
  if (errors.length > 0) redactStrings([data, errors], redact);
  return { data, hasData: "data" in body, errors };
}
