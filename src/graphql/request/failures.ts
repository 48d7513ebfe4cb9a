import {
  AuthenticationError,
  GraphQLResponseError,
  PermissionDeniedError,
  RateLimitError,
  type SaasManagementError,
  TransportError,
} from "../../core/errors/index.js";
import {
  causesOf,
  errorCode,
  isProgramError,
  NETWORK_ERRORS,
  networkErrorOf,
} from "../../core/network-errors.js";
import { escapeControls } from "../../core/redact.js";
import { parseRetryAfter } from "../../core/retry.js";
import { describeEntries, describeLimit, isRateLimit, NOT_AUTHORIZED } from "./error-entries.js";
import type { GraphQLAnswer, ResponseHead } from "./response.js";
import { isJsonObject } from "./variables.js";

/** One attempt, as its errors describe it. */
interface FailureContext {
  /** `GraphQL query Licenses`. */
  readonly label: string;
  readonly url: string;
  /** Whether the request may be sent again. */
  readonly repeatable: boolean;
  /** Whether the same key was accepted before, and now a change was refused. */
  readonly isReadOnlyKey: boolean;
  readonly now: () => number;
  /** Takes the credential out of a text of the server. */
  readonly redact: (text: string) => string;
}

/** Takes what the caller wants from an answer, or throws. */
export type AnswerReader<Data, Result> = (answer: GraphQLAnswer<Data>, failures: Failures) => Result;

/** Most characters of a header that an error has. */
const MAX_HEADER = 200;

const TRANSIENT_STATUSES = [408, 502, 503, 504];

/** Advice for a mutation that was sent. */
export const UNKNOWN_OUTCOME = "It is not known whether it was done: read the data to find out.";

/** Turns everything that can go wrong with a request into an error of the SDK. */
export class Failures {
  readonly #context: FailureContext;
  readonly redact: FailureContext["redact"];
  /** Whether an answer with errors may stand for an operation that was executed. */
  isDoubtful = true;

  constructor(context: FailureContext) {
    this.#context = context;
    this.redact = context.redact;
  }

  /** The error of a status that means the same whatever the body says, if it is one. */
  ofStatus(head: ResponseHead, serverMessage?: string): SaasManagementError | undefined {
    const { label, repeatable } = this.#context;
    const { status } = head;
    if (status === 401) return this.#notAuthorized("HTTP 401", serverMessage);
    if (status === 429 || (status === 403 && isLimited(head)))
      return this.#rateLimited(head, `HTTP ${status}`, serverMessage);
    if (status === 403)
      return new PermissionDeniedError(
        `${label} was refused (HTTP 403): the API key may not do this. Check its permission scope.`,
        { serverMessage },
      );
    if (!TRANSIENT_STATUSES.includes(status)) return undefined;
    return this.#transport(head, `${label} failed: the server answered with HTTP ${status}.`, {
      retryable: repeatable,
      retryAfterMs: this.#retryAfterMs(head),
      serverMessage,
    });
  }

  /** The error that `errors` mean for the response as a whole, if they do. */
  ofEntries(answer: GraphQLAnswer<unknown>): SaasManagementError | undefined {
    if (hasData(answer.data)) return undefined;
    const refusal = answer.errors.find(({ extensions }) => extensions?.code === NOT_AUTHORIZED);
    if (refusal !== undefined && this.#context.isReadOnlyKey)
      // A revoked key would be HTTP 401 (service description, "Errors").
      return new PermissionDeniedError(
        `${this.#context.label} was refused (${NOT_AUTHORIZED}): the API key may read, but not change anything. Use one with the scope Full Access (Read & Write).`,
        { serverMessage: refusal.message },
      );
    if (refusal !== undefined) return this.#notAuthorized(NOT_AUTHORIZED, refusal.message);
    const limit = answer.errors.find(isRateLimit);
    return limit && this.#rateLimited(answer, "in its errors", limit.message);
  }

  /** The response has `errors`, and the caller wants data only. */
  responseErrors({ status, data, errors }: GraphQLAnswer<unknown>): GraphQLResponseError {
    const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
    const partial = hasData(data) ? " and partial data" : "";
    const isUnknown = !this.#context.repeatable && this.isDoubtful && (!hasData(data) || status >= 500);
    const outcome = isUnknown ? ` ${UNKNOWN_OUTCOME}` : "";
    return new GraphQLResponseError(
      `${this.#context.label} was answered with ${count}${partial}${describeEntries(errors)}${describeLimit(errors)}${outcome}`,
      { errors, data, status, serverMessage: errors[0]?.message },
    );
  }

  notJson(head: ResponseHead): SaasManagementError {
    const { label, url } = this.#context;
    return this.#unusable(
      head,
      `${label} was not answered with JSON by ${url} (HTTP ${head.status}). Check baseUrl, and that no proxy or login page answers instead.`,
    );
  }

  notGraphQL(head: ResponseHead): SaasManagementError {
    return this.#unusable(
      head,
      `${this.#context.label} was answered with HTTP ${head.status} and a body that is cut off or not a GraphQL response.`,
    );
  }

  tooLarge(head: ResponseHead, maxBytes: number): SaasManagementError {
    return this.#unusable(
      head,
      `${this.#context.label} was answered with more than ${maxBytes} bytes. Request smaller pages or raise maxResponseBytes.`,
    );
  }

  /** `fetch` failed, or the body broke off. */
  network(error: unknown, head?: ResponseHead): SaasManagementError {
    const { label, repeatable, url } = this.#context;
    const found = networkErrorOf(error);
    if (found.code === undefined && error !== undefined && isProgramError(error)) {
      const cause = copyError(error, this.redact);
      const said = cause.message.slice(0, MAX_HEADER);
      return this.#transport(head, `${label} to ${url} failed, because fetch threw: ${said}`, { cause });
    }
    const isBlocked = found.code === undefined && error instanceof TypeError && isForeign(url);
    const { advice, code, description, retryable, unsent } = isBlocked
      ? { ...found, ...NETWORK_ERRORS.CORS }
      : found;
    const what = code === undefined ? description : `${description} (${code})`;
    return this.#transport(head, `${label} to ${url} failed: ${what}. ${advice}.`, {
      retryable: repeatable && retryable,
      cause: copyError(error, this.redact),
      unsent,
    });
  }

  #notAuthorized(how: string, serverMessage: string | undefined): AuthenticationError {
    return new AuthenticationError(
      `${this.#context.label} was refused (${how}): the API key is missing, unknown or revoked, or its permission scope does not allow this.`,
      { serverMessage },
    );
  }

  #rateLimited(head: ResponseHead, how: string, serverMessage: string | undefined): RateLimitError {
    const { label, repeatable } = this.#context;
    return new RateLimitError(`${label} was refused (${how}): too many requests. Try again later.`, {
      retryable: repeatable,
      retryAfterMs: this.#retryAfterMs(head),
      serverMessage,
    });
  }

  #unusable(head: ResponseHead, message: string): SaasManagementError {
    return this.ofStatus(head) ?? this.#transport(head, message);
  }

  #transport(
    head: ResponseHead | undefined,
    message: string,
    {
      unsent = false,
      ...details
    }: ConstructorParameters<typeof TransportError>[1] & { readonly unsent?: boolean } = {},
  ): TransportError {
    const contentType = head?.headers.get("content-type") ?? undefined;
    return new TransportError(unsent ? message : message + this.#outcomeAfter(head), {
      ...details,
      status: head?.status,
      // Redacted before it is cut: half a key would not be found.
      contentType: contentType && escapeControls(this.redact(contentType)).slice(0, MAX_HEADER),
    });
  }

  /** Nothing was done after a status that blames the request; otherwise a mutation may have been. */
  #outcomeAfter(head: ResponseHead | undefined): string {
    const { status = 0 } = head ?? {};
    const refused = status >= 400 && status < 500 && status !== 408;
    return this.#context.repeatable || refused ? "" : ` ${UNKNOWN_OUTCOME}`;
  }

  #retryAfterMs({ headers }: ResponseHead): number | undefined {
    const value = headers.get("retry-after");
    return value === null ? undefined : parseRetryAfter(value, this.#context.now());
  }
}

/** Whether HTTP 403 is about the number of requests, as some services and gateways have it. */
function isLimited({ headers }: ResponseHead): boolean {
  return headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0";
}

/** Whether a page of another origin calls. */
function isForeign(url: string): boolean {
  const origin = globalThis.location?.origin;
  return origin !== undefined && origin !== new URL(url).origin;
}

/** Whether any field of the root was answered. */
function hasData(data: unknown): boolean {
  return isJsonObject(data) && Object.values(data).some((value) => value !== null);
}

/**
 * Copies name, message, stack, code and causes of an error: an error of the caller's fetch may hold the whole request,
 * with its headers.
 */
function copyError(error: unknown, redact: (text: string) => string): Error {
  const copies = causesOf(error).map((cause) => {
    const { name, message, stack } = cause instanceof Error ? cause : new Error(typeof cause);
    const copy = new Error(escapeControls(redact(message)));
    copy.name = escapeControls(redact(name));
    if (stack !== undefined) copy.stack = redact(stack.replace(message, () => copy.message));
    const code = errorCode(cause);
    return code === undefined ? copy : Object.assign(copy, { code });
  });
  return copies.reduceRight((cause, copy) => Object.assign(copy, { cause }));
}
