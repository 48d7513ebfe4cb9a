import {
  AuthenticationError,
  ConfigurationError,
  type GraphQLErrorEntry,
  GraphQLResponseError,
  PermissionDeniedError,
  RateLimitError,
  type SaasManagementError,
  TimeoutError,
  TransportError,
} from "../../core/errors/index.js";
import { escapeControls } from "../../core/redact.js";
import { isRateLimit, NOT_AUTHORIZED, safeCodes } from "./error-codes.js";
import { placeOf } from "./error-place.js";
import { copyOfError, isRefusedPort, readNetworkFailure } from "./network-failure.js";
import { hasNoData } from "./response-data.js";
import { readRetryAfter } from "./response-head.js";

/** What is known of an HTTP answer before its body is. */
export interface ResponseHead {
  /** HTTP status. */
  readonly status: number;
  /** HTTP headers. */
  readonly headers: Headers;
}

/** A GraphQL response, as far as it is judged. */
interface JudgedAnswer extends ResponseHead {
  readonly data: unknown;
  readonly errors: readonly GraphQLErrorEntry[];
}

/** The same, with what says whether the operation was begun. */
interface WholeAnswer extends JudgedAnswer {
  /** Whether the `errors` are all about the request, none about a field of its result, and the body had no data. */
  readonly aboutRequest: boolean;
}

/** Most characters that are shown of a header. It is cut last: half a key would not be found. */
const MAX_SHOWN = 200;

/** What to do after a mutation of which only the sending is known. */
const UNKNOWN_FATE = "Whether it was done is not known: read the data to find out.";

/** Statuses that may be gone with the next attempt. */
const TRANSIENT_STATUSES = [408, 502, 503, 504];

/**
 * Turns whatever can go wrong with a request into an error of the SDK: the only place that decides on class, message
 * and whether the failure is worth another attempt.
 */
export class Failures {
  readonly #label: string;
  readonly #url: string;
  readonly #repeatable: boolean;
  readonly #now: () => number;
  /** Takes the credential out of a text that came from the server. */
  readonly redact: (text: string) => string;
  readonly #beforeExecution = new WeakSet<SaasManagementError>();

  constructor(context: {
    /** What was asked: `GraphQL query Licenses`. */
    readonly label: string;
    /** Where the request goes. */
    readonly url: string;
    /** Whether the request may be sent again. */
    readonly repeatable: boolean;
    readonly now: () => number;
    readonly redact: (text: string) => string;
  }) {
    this.#label = context.label;
    this.#url = context.url;
    this.#repeatable = context.repeatable;
    this.#now = context.now;
    this.redact = context.redact;
  }

  /**
   * Whether the request may be sent again with another key. What must not be done twice only after a refusal that came
   * certainly before its execution: one field of a mutation may be refused after another was executed, or a field of
   * the result after the change was made.
   */
  mayReplaceKey(failure: SaasManagementError): boolean {
    return this.#repeatable || this.#beforeExecution.has(failure);
  }

  /** Whether an error may leave as it is: one of a fetch of the user's may promise more than this request allows. */
  mayThrow(error: SaasManagementError): boolean {
    return this.#repeatable || !error.retryable;
  }

  /** The error that a status means by itself, whatever the body says; undefined where it means none. */
  ofStatus(head: ResponseHead, serverMessage?: string): SaasManagementError | undefined {
    const { status } = head;
    if (status === 401) return this.#notAuthorized("HTTP 401", serverMessage, true);
    if (status === 403) {
      return new PermissionDeniedError(
        `${this.#label} was refused (HTTP 403): the API key may not do this. Check its permission scope.`,
        { serverMessage },
      );
    }
    if (status === 429) return this.#rateLimited(head, "HTTP 429", serverMessage);
    if (!TRANSIENT_STATUSES.includes(status)) return undefined;
    const message = `${this.#label} failed: the server answered with HTTP ${status}.${this.#fateAfter(head)}`;
    return this.#transport(head, message, {
      retryable: this.#repeatable,
      retryAfterMs: readRetryAfter(head.headers, this.#now()),
      serverMessage,
    });
  }

  /** The error that a response's `errors` mean for the response as a whole; undefined where they are for the caller. */
  ofEntries(answer: WholeAnswer): SaasManagementError | undefined {
    if (!hasNoData(answer.data)) return undefined;
    const { errors, aboutRequest } = answer;
    const refusal = errors.find((entry) => entry.extensions?.code === NOT_AUTHORIZED);
    if (refusal !== undefined) {
      return this.#notAuthorized(NOT_AUTHORIZED, refusal.message, aboutRequest);
    }
    const limit = errors.find(isRateLimit);
    if (limit !== undefined) return this.#rateLimited(answer, "told in its errors", limit.message);
    return undefined;
  }

  /** The response has `errors`, and the caller wants data alone. */
  responseErrors({ status, data, errors }: JudgedAnswer): GraphQLResponseError {
    const codes = safeCodes(errors);
    const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
    const named = codes.length === 0 ? "" : ` (${codes.join(", ")})`;
    const partial = hasNoData(data) ? "" : " beside partial data";
    const place = this.redact(placeOf(errors));
    return new GraphQLResponseError(
      `${this.#label} was answered with ${count}${named}${partial}${place}. See errors and data.`,
      { errors, data, status, serverMessage: errors[0]?.message },
    );
  }

  redirect(head: ResponseHead): TransportError {
    return this.#transport(
      head,
      `${this.#label} was redirected, which is refused: the API key goes only to baseUrl. Check baseUrl.${this.#fateAfter(head)}`,
    );
  }

  /** The declared content type is not JSON, or not readable. */
  wrongContent(head: ResponseHead): SaasManagementError {
    return (
      this.ofStatus(head) ??
      this.#transport(
        head,
        `${this.#label} was not answered with JSON by ${this.#url} (HTTP ${head.status}): is baseUrl the service's, and no proxy or login page in between?${this.#fateAfter(head)}`,
      )
    );
  }

  /** The body says JSON, and is none or no GraphQL response. */
  noResponse(head: ResponseHead): SaasManagementError {
    return (
      this.ofStatus(head) ??
      this.#transport(
        head,
        `${this.#label} was answered with HTTP ${head.status} and a body that is cut off or no GraphQL response.${this.#fateAfter(head)}`,
      )
    );
  }

  /** The body is larger than the client reads. */
  tooLarge(head: ResponseHead, maxBytes: number): SaasManagementError {
    return (
      this.ofStatus(head) ??
      this.#transport(
        head,
        `${this.#label} was answered with HTTP ${head.status} and a body of more than ${maxBytes} bytes, which was not read to its end. Ask for smaller pages, or raise maxResponseBytes.${this.#fateAfter(head)}`,
      )
    );
  }

  /** fetch failed, or the body broke off. */
  network(error: unknown, head: ResponseHead | undefined): SaasManagementError {
    if (isRefusedPort(error)) return this.#refusedPort(error);
    const { description, transient, unsent } = readNetworkFailure(error);
    const again = this.#repeatable ? ", or try again later" : "";
    const advice = transient && head === undefined ? ` Check baseUrl and the network${again}.` : "";
    const fate = unsent ? "" : this.#fateAfter(head);
    return this.#transport(head, `${this.#label} to ${this.#url} failed: ${description}.${advice}${fate}`, {
      retryable: this.#repeatable && transient,
      cause: copyOfError(error, this.redact),
    });
  }

  /** The time is up after the request was given to fetch. */
  timedOut({ timeoutMs, cause, retryable, message, stack }: TimeoutError): TimeoutError {
    const advice = `Raise timeoutMs. ${UNKNOWN_FATE}`;
    const told = new TimeoutError(`${this.#label} took longer than ${timeoutMs} ms. ${advice}`, {
      timeoutMs,
      retryable,
      ...(cause === undefined ? {} : { cause }),
    });
    // The caller's place is added to it later, as to the stack of every error that comes from a timer.
    if (stack !== undefined) told.stack = stack.replace(message, () => told.message);
    return told;
  }

  #refusedPort(error: unknown): ConfigurationError {
    return new ConfigurationError(
      `${this.#label} was not sent: fetch refuses port ${new URL(this.#url).port}, one of those that the fetch standard keeps for other protocols. Have the API served at another port, and set baseUrl to it.`,
      { cause: copyOfError(error, this.redact) },
    );
  }

  /**
   * What a message says at its end of the fate of what was sent and must not be sent again. Of an answer that is none
   * only a status that blames the request tells that nothing was done.
   */
  #fateAfter(head: ResponseHead | undefined): string {
    const { status = 0 } = head ?? {};
    const refused = status >= 400 && status < 500 && status !== 408;
    return this.#repeatable || refused ? "" : ` ${UNKNOWN_FATE}`;
  }

  #notAuthorized(
    how: string,
    serverMessage: string | undefined,
    beforeExecution: boolean,
  ): AuthenticationError {
    const error = new AuthenticationError(
      `${this.#label} was refused (${how}): the API key is missing, unknown or revoked, or its permission scope does not allow this.`,
      { serverMessage },
    );
    if (beforeExecution) this.#beforeExecution.add(error);
    return error;
  }

  #rateLimited(head: ResponseHead, how: string, serverMessage: string | undefined): RateLimitError {
    return new RateLimitError(`${this.#label} was refused (${how}): too many requests.`, {
      retryable: this.#repeatable,
      retryAfterMs: readRetryAfter(head.headers, this.#now()),
      serverMessage,
    });
  }

  #transport(
    head: ResponseHead | undefined,
    message: string,
    details: ConstructorParameters<typeof TransportError>[1] = {},
  ): TransportError {
    const contentType = head?.headers.get("content-type") ?? undefined;
    return new TransportError(message, {
      ...details,
      status: head?.status,
      contentType: contentType && escapeControls(this.redact(contentType)).slice(0, MAX_SHOWN),
    });
  }
}
