import { ClientError, GraphQLClient as RequestClient } from "graphql-request";
import { SaasManagementError } from "../../core/errors/index.js";
import type { AnswerReader } from "./answer.js";
import { areAboutRequest, readErrorEntries } from "./error-entries.js";
import type { Failures, ResponseHead } from "./failures.js";
import { isObject } from "./json.js";
import type { SentHeaders } from "./request-headers.js";
import { boundText, discardBody } from "./response-body.js";
import { isRedirect, readContentType } from "./response-head.js";

/** What sends a request: `globalThis.fetch`, or one with the same meaning. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** One attempt at a request. */
export interface Attempt<Data, Result> {
  readonly url: string;
  readonly fetch: FetchLike;
  readonly headers: SentHeaders;
  readonly text: string;
  readonly variables: object | undefined;
  readonly signal: AbortSignal;
  /** Most bytes of the body. */
  readonly maxResponseBytes: number;
  readonly failures: Failures;
  /** What the caller wants of the answer. */
  readonly read: AnswerReader<Data, Result>;
}

/**
 * Sends one request and reads its answer. Every failure is an error of the SDK; what graphql-request throws holds
 * the whole request and goes no further than this file. After an abort nobody waits for the outcome any more.
 */
export async function exchange<Data, Result>(attempt: Attempt<Data, Result>): Promise<Result> {
  const { failures, signal, maxResponseBytes: maxBytes } = attempt;
  const progress: { head?: ResponseHead; bodyComplete?: true; hasData?: boolean } = {};
  const client = new RequestClient(attempt.url, {
    errorPolicy: "all",
    excludeOperationName: true,
    redirect: "manual",
    fetch: async (url, init) => {
      const { fetch, headers } = attempt;
      // Only here: graphql-request need not see the credential, nor copy the headers twice.
      const response = await fetch(String(url), { ...init, headers });
      progress.head = { status: response.status, headers: response.headers };
      const refusal = judgeHead(response, failures);
      if (refusal === undefined) return boundText(response, { maxBytes, signal, failures });
      discardBody(response);
      throw refusal;
    },
    jsonSerializer: {
      // What would be changed in silence was refused when the variables were read.
      stringify: JSON.stringify,
      parse: (text) => {
        progress.bodyComplete = true;
        const body: unknown = JSON.parse(text);
        // A list would pass as the answer to a batch of requests.
        if (!isObject(body)) throw new SyntaxError("not an object");
        const { data, errors } = body;
        progress.hasData = (data ?? null) !== null;
        if (!Array.isArray(errors ?? [])) throw new SyntaxError("errors are no list");
        // Some servers write null where there is nothing, and graphql-request takes that for no response at all.
        return { ...(data !== undefined && { data }), ...(Array.isArray(errors) && { errors }) };
      },
    },
  });
  try {
    const { text: query, variables = {} } = attempt;
    const response = await client.rawRequest<Data, object>({ query, variables, signal });
    const { status, headers, data = null } = response;
    return judge({ status, headers, data }, response.errors, attempt, data !== null);
  } catch (error) {
    if (error instanceof SaasManagementError && failures.mayThrow(error)) throw error;
    const { head, bodyComplete, hasData = false } = progress;
    if (head === undefined) throw failures.network(error, undefined);
    if (error instanceof ClientError) {
      return judge({ ...head, data: null }, error.response.errors, attempt, hasData);
    }
    throw bodyComplete === true ? failures.noResponse(head) : failures.network(error, head);
  }
}

/** What status and content type say before anything is parsed. */
function judgeHead(response: Response, failures: Failures): SaasManagementError | undefined {
  if (isRedirect(response)) return failures.redirect(response);
  return readContentType(response.headers).json ? undefined : failures.wrongContent(response);
}

function judge<Data, Result>(
  response: ResponseHead & { readonly data: Data | null },
  sentErrors: unknown,
  { failures, read }: Attempt<Data, Result>,
  /** Whether the body had data, which is not handed out beside a status that is no success. */
  hasData: boolean,
): Result {
  const errors = readErrorEntries(sentErrors, failures.redact);
  const answer = { ...response, errors };
  const refusal =
    failures.ofStatus(answer, errors[0]?.message) ??
    failures.ofEntries({ ...answer, aboutRequest: !hasData && areAboutRequest(sentErrors) });
  if (refusal !== undefined) throw refusal;
  return read(answer, failures);
}
