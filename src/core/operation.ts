import { type Credential, OperationCredential } from "./credential.js";
import { Deadline } from "./deadline.js";
import { annotate, SaasManagementError } from "./errors/index.js";
import type { OperationInfo, RequestEvent, RetryEvent } from "./hooks.js";
import { SILENT } from "./logger.js";
import type { CommonConfiguration } from "./options.js";
import { withRetry } from "./retry.js";

/** What one attempt is made with. */
export interface AttemptContext {
  /** The `Authorization` value. */
  readonly authorization: string;
  /** Redacts the credential in a text of the server. */
  readonly redact: (text: string) => string;
  /** Aborts when the caller does or the operation's time is up. */
  readonly signal: AbortSignal;
  /** Milliseconds until the operation's deadline. */
  readonly timeoutMs: number;
  /** Reports the head of an answer, as soon as it is known; may be called again with further parts. */
  readonly answered: (answer: AnswerHead) => void;
}

/** Status and headers of an answer. */
export interface AnswerHead {
  /** HTTP status. */
  readonly status?: number;
  /** Name of the gRPC status. */
  readonly grpcStatus?: string;
  /** The value of a header or of metadata; what is not a string is ignored. */
  readonly header: (name: string) => unknown;
}

/** One operation of either API. */
export interface Operation {
  readonly info: OperationInfo;
  /** What it is, for messages: `GraphQL query Licenses`. */
  readonly label: string;
  readonly credential: Credential;
  /** The caller's signal, or a controller of this operation that is linked to it. */
  readonly cancellation: AbortSignal | AbortController | undefined;
  /** Whether calling the same method again is safe after the time is up. */
  readonly repeatable: boolean;
  /** What to do when the time is up, for the error's message. @default to raise `timeoutMs`, or try again later */
  readonly timeoutAdvice?: (() => string | undefined) | undefined;
  /** Whether a failed attempt may be repeated, for an operation that must not be done twice. @default always */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Whether an attempt with a refused key executed nothing, so that another key may be tried. @default always */
  readonly mayReplaceKey?: ((failure: SaasManagementError) => boolean) | undefined;
  /** Called before each pause. */
  readonly onRetry?: ((event: Pick<RetryEvent, "attempt" | "delayMs" | "code">) => void) | undefined;
}

/**
 * Runs one operation of either API: attempts with the credential, within one deadline, repeated after transient
 * failures. Each is reported to the hooks and the logger.
 */
export async function runOperation<T>(
  configuration: CommonConfiguration,
  operation: Operation,
  attempt: (context: AttemptContext) => Promise<T>,
): Promise<T> {
  const { clock, hooks, logger, retry: policy, retryBudget: budget, timeoutMs } = configuration;
  const { cancellation, credential, info, label, onRetry, repeatable } = operation;
  const deadline = new Deadline({
    clock,
    timeoutMs,
    operation: label,
    advice: operation.timeoutAdvice,
    cancellation,
    retryable: repeatable,
  });
  const authorization = new OperationCredential(credential, deadline.signal);
  const redact = (text: string): string => authorization.redact(text);
  const attemptNumber = async (number: number): Promise<T> => {
    const observer = new AttemptObserver(configuration, operation, number, redact);
    try {
      const value = await attempt({
        authorization: await authorization.next(),
        redact,
        signal: deadline.signal,
        timeoutMs: deadline.remainingMs,
        answered: (answer) => observer.answered(answer),
      });
      observer.succeeded();
      return value;
    } catch (error) {
      observer.failed(error, deadline.isCallersReason(error));
      throw error;
    }
  };
  try {
    return await withRetry(attemptNumber, {
      policy,
      clock,
      deadline,
      budget,
      mayRepeat: operation.mayRepeat,
      recover: async (failure) =>
        operation.mayReplaceKey?.(failure) !== false && authorization.replaceAfter(failure),
      onRetry: ({ code }, number, delayMs) => {
        const event = Object.freeze({ ...info, attempt: number, delayMs, code });
        hooks.onRetry?.(event);
        logger.warn(`saas-management: ${label}: retrying`, event);
        onRetry?.(event);
      },
    });
  } finally {
    deadline.end();
  }
}

/** Reports one attempt to hooks and logger, and adds the request id to its error. Creates no events for nobody. */
class AttemptObserver {
  readonly #configuration: CommonConfiguration;
  readonly #operation: Operation;
  readonly #redact: (text: string) => string;
  readonly #begun: { readonly event: RequestEvent; readonly at: number } | undefined;
  readonly #answers: AnswerHead[] = [];

  constructor(
    configuration: CommonConfiguration,
    operation: Operation,
    attempt: number,
    redact: (text: string) => string,
  ) {
    const { clock, hooks, logger } = configuration;
    this.#redact = redact;
    this.#configuration = configuration;
    this.#operation = operation;
    if (hooks.onRequest === undefined && hooks.onResponse === undefined && logger === SILENT) return;
    this.#begun = { event: Object.freeze({ ...operation.info, attempt }), at: clock.monotonic() };
    hooks.onRequest?.(this.#begun.event);
  }

  answered(answer: AnswerHead): void {
    this.#answers.push(answer);
  }

  succeeded(): void {
    this.#ended("success", undefined);
  }

  failed(error: unknown, byCaller: boolean): void {
    // The caller's reason may be an error of another operation.
    if (!byCaller) annotate(error, { requestId: this.#requestId() });
    this.#ended(
      byCaller ? "cancelled" : "failure",
      error instanceof SaasManagementError ? error.code : undefined,
    );
  }

  #ended(outcome: "success" | "failure" | "cancelled", code: SaasManagementError["code"] | undefined): void {
    if (this.#begun === undefined) return;
    const { clock, hooks, logger } = this.#configuration;
    const event = Object.freeze({
      ...this.#begun.event,
      durationMs: clock.monotonic() - this.#begun.at,
      outcome,
      status: this.#answers.findLast(({ status }) => status !== undefined)?.status,
      grpcStatus: this.#answers.findLast(({ grpcStatus }) => grpcStatus !== undefined)?.grpcStatus,
      code,
      requestId: this.#requestId(),
    });
    hooks.onResponse?.(event);
    logger.debug(`saas-management: ${this.#operation.label}: ${outcome}`, event);
  }

  #requestId(): string | undefined {
    for (const { header } of this.#answers) {
      const requestId = readRequestId(header, this.#redact);
      if (requestId !== undefined) return requestId;
    }
    return undefined;
  }
}

/** Headers with the server's own id of a request; the service description names none. */
const REQUEST_ID_HEADERS = ["x-request-id", "x-correlation-id"];

/**
 * The server's own id of a request. It stands in errors and events, so it must look like an id: printable ASCII without
 * blanks, at most 128 characters, and no secret.
 */
export function readRequestId(
  header: (name: string) => unknown,
  redact: (text: string) => string,
): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = header(name);
    if (typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) && redact(value) === value)
      return value;
  }
  return undefined;
}
