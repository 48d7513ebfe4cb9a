import { type Credential, OperationCredential } from "./credential.js";
import { Deadline } from "./deadline.js";
import { annotate, SaasManagementError } from "./errors/index.js";
import type { OperationInfo, RequestEvent, ResponseEvent, RetryEvent } from "./hooks.js";
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
  const { cancellation, info, label, mayRepeat, repeatable: retryable, timeoutAdvice: advice } = operation;
  const deadline = new Deadline({ clock, timeoutMs, operation: label, advice, cancellation, retryable });
  const { signal } = deadline;
  const credential = new OperationCredential(operation.credential, signal);
  const redact = (text: string): string => credential.redact(text);
  const attemptOnce = async (number: number): Promise<T> => {
    const observer = new AttemptObserver(configuration, operation, number, redact);
    try {
      const authorization = await credential.next();
      const answered = (answer: AnswerHead) => void observer.answers.push(answer);
      const timeoutMs = deadline.remainingMs;
      const value = await attempt({ authorization, redact, signal, timeoutMs, answered });
      observer.ended("success");
      return value;
    } catch (error) {
      // The caller's reason may be an error of another operation.
      const byCaller = deadline.isCallersReason(error);
      if (!byCaller) annotate(error, { requestId: observer.requestId });
      observer.ended(byCaller ? "cancelled" : "failure", error);
      throw error;
    }
  };
  const recover = async (failure: SaasManagementError) =>
    operation.mayReplaceKey?.(failure) !== false && credential.replaceAfter(failure);
  const onRetry = ({ code }: SaasManagementError, number: number, delayMs: number) => {
    const event = Object.freeze({ ...info, attempt: number, delayMs, code });
    hooks.onRetry?.(event);
    logger.warn(`saas-management: ${label}: retrying`, event);
    operation.onRetry?.(event);
  };
  try {
    return await withRetry(attemptOnce, { policy, clock, deadline, budget, mayRepeat, recover, onRetry });
  } finally {
    deadline.end();
  }
}

/** Reports one attempt to hooks and logger. Creates no events if there are none. */
class AttemptObserver {
  /** The parts of the answer that came so far. */
  readonly answers: AnswerHead[] = [];
  readonly #configuration: CommonConfiguration;
  readonly #label: string;
  readonly #redact: (text: string) => string;
  readonly #begun: { readonly event: RequestEvent; readonly at: number } | undefined;

  constructor(
    configuration: CommonConfiguration,
    { info, label }: Operation,
    attempt: number,
    redact: (text: string) => string,
  ) {
    const { clock, hooks, logger } = configuration;
    this.#configuration = configuration;
    this.#label = label;
    this.#redact = redact;
    if (hooks.onRequest === undefined && hooks.onResponse === undefined && logger === SILENT) return;
    this.#begun = { event: Object.freeze({ ...info, attempt }), at: clock.monotonic() };
    hooks.onRequest?.(this.#begun.event);
  }

  get requestId(): string | undefined {
    for (const { header } of this.answers) {
      const requestId = readRequestId(header, this.#redact);
      if (requestId !== undefined) return requestId;
    }
    return undefined;
  }

  ended(outcome: ResponseEvent["outcome"], error?: unknown): void {
    if (this.#begun === undefined) return;
    const { clock, hooks, logger } = this.#configuration;
    const event = Object.freeze({
      ...this.#begun.event,
      durationMs: clock.monotonic() - this.#begun.at,
      outcome,
      status: this.answers.findLast(({ status }) => status !== undefined)?.status,
      grpcStatus: this.answers.findLast(({ grpcStatus }) => grpcStatus !== undefined)?.grpcStatus,
      code: error instanceof SaasManagementError ? error.code : undefined,
      requestId: this.requestId,
    });
    hooks.onResponse?.(event);
    logger.debug(`saas-management: ${this.#label}: ${outcome}`, event);
  }
}

/** Headers with the server's own id of a request; the service description names none. */
const REQUEST_ID_HEADERS = ["x-request-id", "x-correlation-id"];

/** The server's id of a request: only what looks like an id, because it stands in errors and events. */
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
