import type { Clock } from "../../core/clock.js";
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
import { describeEntries, isRateLimit, NOT_AUTHORIZED } from "./error-entries.js";
import type { GraphQLAnswer, ResponseHead } from "./response.js";
import { isJsonObject } from "./variables.js";

/** The facts about an attempt that its errors need. */
interface FailureContext {
  /** `GraphQL query Licenses`. */
  readonly label: string;
  readonly url: string;
  /** Whether the request may be sent again. */
  readonly repeatable: boolean;
  /** Whether the service has accepted the same key before but now refuses a change. */
  readonly isReadOnlyKey: boolean;
  readonly clock: Pick<Clock, "now">;
  /** Redacts the credential in a string from the server. */
  readonly redact: (text: string) => string;
}

/** Reads the caller's result from a response, or throws. */
export type AnswerReader<Data, Result> = (answer: GraphQLAnswer<Data>, failures: Failures) => Result;

/** An error quotes at most this many characters of a header. */
const MAX_HEADER = 200;

const TRANSIENT_STATUSES = [408, 502, 503, 504];

/** Advice for a mutation whose outcome is unknown. */
export const UNKNOWN_OUTCOME = "It may or may not have taken effect: read the data to find out.";

/** The meaning of an HTTP 401 and of the corresponding entry in `errors`. */
const NO_KEY = "the API key is missing, unknown or revoked, or its permission scope does not allow this.";
const TOO_MANY = "too many requests. Try again later.";

type RefusalDetails = ConstructorParameters<typeof RateLimitError>[1];
type RefusalClass = new (message: string, details: RefusalDetails) => SaasManagementError;

/** Turns everything that can go wrong with a request into an error of the SDK. */
export class Failures {
  readonly context: FailureContext;
  /** Whether the operation may have been executed despite the errors in the response. */
  isDoubtful = true;

  constructor(context: FailureContext) {
    this.context = context;
  }

  /** The error for a status whose meaning doesn't depend on the body; undefined for any other status. */
  ofStatus(head: ResponseHead, serverMessage?: string): SaasManagementError | undefined {
    const { label, repeatable: retryable } = this.context;
    const { status } = head;
    const how = `HTTP ${status}`;
    const details = { retryable, retryAfterMs: this.#retryAfterMs(head), serverMessage };
    if (status === 401) return this.#refused(AuthenticationError, how, NO_KEY, { serverMessage });
    if (status === 429 || (status === 403 && isLimited(head)))
      return this.#refused(RateLimitError, how, TOO_MANY, details);
    if (status === 403) {
      const why = "the API key isn't allowed to do this. Check its permission scope.";
      return this.#refused(PermissionDeniedError, how, why, { serverMessage });
    }
    if (!TRANSIENT_STATUSES.includes(status)) return undefined;
    return this.#transport(head, `${label} failed: the server answered with ${how}.`, details);
  }

  /** The error if `errors` concern the response as a whole; otherwise undefined. */
  ofEntries(answer: GraphQLAnswer<unknown>): SaasManagementError | undefined {
    if (hasData(answer.data)) return undefined;
    const { isReadOnlyKey, repeatable: retryable } = this.context;
    const refusal = answer.errors.find(({ extensions }) => extensions?.code === NOT_AUTHORIZED);
    if (refusal !== undefined) {
      const details = { serverMessage: refusal.message };
      if (!isReadOnlyKey) return this.#refused(AuthenticationError, NOT_AUTHORIZED, NO_KEY, details);
      // A revoked key would get HTTP 401 (service description, "Errors").
      const why = "the API key can only read. Use a key with the scope Full Access (Read & Write).";
      return this.#refused(PermissionDeniedError, NOT_AUTHORIZED, why, details);
    }
    const limit = answer.errors.find(isRateLimit);
    if (limit === undefined) return undefined;
    const details = { retryable, retryAfterMs: this.#retryAfterMs(answer), serverMessage: limit.message };
    return this.#refused(RateLimitError, "in its errors", TOO_MANY, details);
  }

  /** The error for a response with `errors` when the caller only wants data. */
  responseErrors({ status, data, errors }: GraphQLAnswer<unknown>): GraphQLResponseError {
    const { label, repeatable } = this.context;
    const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
    const partial = hasData(data) ? " and partial data" : "";
    const isUnknown = !repeatable && this.isDoubtful && (!hasData(data) || status >= 500);
    const outcome = isUnknown ? ` ${UNKNOWN_OUTCOME}` : "";
    const { text, advice } = describeEntries(errors);
    const details = { errors, data, status, serverMessage: errors[0]?.message, advice };
    return new GraphQLResponseError(
      `${label} failed: the service answered with ${count}${partial}${text}${outcome}`,
      details,
    );
  }

  notJson(head: ResponseHead): SaasManagementError {
    const what = `the answer of ${this.context.url} isn't JSON (HTTP ${head.status})`;
    return this.#unusable(head, `${what}. Check baseUrl, and that no proxy or login page answers instead.`);
  }

  notGraphQL(head: ResponseHead): SaasManagementError {
    const what = `the answer has HTTP status ${head.status}`;
    return this.#unusable(head, `${what} and a body that is cut off or not a GraphQL response.`);
  }

  tooLarge(head: ResponseHead, maxBytes: number): SaasManagementError {
    const what = `the answer has more than ${maxBytes} bytes`;
    return this.#unusable(head, `${what}. Request smaller pages or raise maxResponseBytes.`);
  }

  /** The error when `fetch` failed, or the body ended early. */
  network(error: unknown, head?: ResponseHead): SaasManagementError {
    const { label, redact, repeatable, url } = this.context;
    const cause = copyError(error, redact);
    const found = networkErrorOf(error);
    if (found.code === undefined && error !== undefined && isProgramError(error)) {
      const said = cause.message.slice(0, MAX_HEADER);
      return this.#transport(head, `${label} to ${url} failed, because fetch threw: ${said}`, { cause });
    }
    const isBlocked = found.code === undefined && error instanceof TypeError && isForeign(url);
    const { advice, code, description, retryable, unsent } = isBlocked
      ? { ...found, ...NETWORK_ERRORS.CORS }
      : found;
    const what = code === undefined ? description : `${description} (${code})`;
    const details = { retryable: repeatable && retryable, cause, unsent };
    return this.#transport(head, `${label} to ${url} failed: ${what}. ${advice}.`, details);
  }

  #refused(ErrorClass: RefusalClass, how: string, why: string, details: RefusalDetails): SaasManagementError {
    return new ErrorClass(`${this.context.label} was refused (${how}): ${why}`, details);
  }

  #unusable(head: ResponseHead, what: string): SaasManagementError {
    return this.ofStatus(head) ?? this.#transport(head, `${this.context.label} failed: ${what}`);
  }

  #transport(
    head: ResponseHead | undefined,
    message: string,
    {
      unsent = false,
      ...details
    }: ConstructorParameters<typeof TransportError>[1] & { readonly unsent?: boolean } = {},
  ): TransportError {
    const { redact, repeatable } = this.context;
    const { status = 0, headers } = head ?? {};
    // With a status of 4xx other than 408, nothing was done; otherwise, a mutation may have been executed.
    const isRefused = status >= 400 && status < 500 && status !== 408;
    const isKnown = unsent || repeatable || isRefused;
    const contentType = headers?.get("content-type") ?? undefined;
    return new TransportError(isKnown ? message : `${message} ${UNKNOWN_OUTCOME}`, {
      ...details,
      status: head?.status,
      // Redacts before cutting, because half a key wouldn't be recognized.
      contentType: contentType && escapeControls(redact(contentType)).slice(0, MAX_HEADER),
    });
  }

  #retryAfterMs({ headers }: ResponseHead): number | undefined {
    // The caller's fetch may return a Map as headers.
    const value = headers.get("retry-after") ?? undefined;
    return value === undefined ? undefined : parseRetryAfter(value, this.context.clock.now());
  }
}

/** Whether HTTP 403 signals a rate limit, as it does for some services and gateways. */
function isLimited({ headers }: ResponseHead): boolean {
  return headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0";
}

/** Whether the calling page is on another origin. */
function isForeign(url: string): boolean {
  const origin = globalThis.location?.origin;
  return origin !== undefined && origin !== new URL(url).origin;
}

/** Whether any root field has data. */
function hasData(data: unknown): boolean {
  return isJsonObject(data) && Object.values(data).some((value) => value !== null);
}

/**
 * Copies only an error's name, message, stack, code and causes: the original, from the caller's fetch, may contain the
 * whole request with its headers.
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
