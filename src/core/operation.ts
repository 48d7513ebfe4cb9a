import { type Credential, OperationCredential } from "./credential.js";
import { annotate, SaasManagementError } from "./errors/index.js";
import { type ClientEvent, SILENT } from "./hooks.js";
import type { CommonConfiguration } from "./options.js";
import { Deadline, withRetry } from "./retry.js";

export interface AttemptContext {
  /** Undefined if a proxy adds it. */
  readonly authorization: string | undefined;
  readonly redact: (text: string) => string;
  /** Aborts when the caller does or the operation's time is up. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Reports the headers of an answer as soon as they are known; may be called again with further ones. */
  readonly answered: (header: ReadHeader) => void;
}

/** Reads a header or a field of metadata; what is not a string is ignored. */
export type ReadHeader = (name: string) => unknown;

export interface Operation {
  readonly info: Pick<ClientEvent, "api" | "operation" | "installationId" | "batchId">;
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
  readonly onRetry?: ((failure: SaasManagementError, attempt: number, delayMs: number) => void) | undefined;
}

/**
 * Runs one operation of either API: attempts with the credential, within one deadline, repeated after transient
 * failures. Each is reported to the hook and the logger.
 */
export async function runOperation<T>(
  configuration: CommonConfiguration,
  operation: Operation,
  attempt: (context: AttemptContext) => Promise<T>,
): Promise<T> {
  const { clock, onEvent, logger, retry: policy, retryBudget: budget, timeoutMs } = configuration;
  const { cancellation, info, label, mayRepeat, repeatable: retryable, timeoutAdvice: advice } = operation;
  const deadline = new Deadline({ clock, timeoutMs, operation: label, advice, cancellation, retryable });
  const { signal } = deadline;
  const credential = new OperationCredential(operation.credential, signal);
  const redact = (text: string): string => credential.redact(text);
  const attemptOnce = async (number: number): Promise<T> => {
    const observer = new AttemptObserver(configuration, operation, number, redact);
    try {
      const authorization = await credential.next();
      const { answered } = observer;
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
  const onRetry = (failure: SaasManagementError, number: number, delayMs: number) => {
    const { code } = failure;
    const event = Object.freeze({ type: "retry", ...info, attempt: number, delayMs, code } as const);
    onEvent?.(event);
    logger.warn(`saas-management: ${label}: retrying`, event);
    operation.onRetry?.(failure, number, delayMs);
  };
  try {
    return await withRetry(attemptOnce, { policy, clock, deadline, budget, mayRepeat, recover, onRetry });
  } finally {
    deadline.end();
  }
}

class AttemptObserver {
  readonly answered = (header: ReadHeader): void => void this.#headers.push(header);
  readonly #headers: ReadHeader[] = [];
  readonly #configuration: CommonConfiguration;
  readonly #operation: Operation;
  readonly #attempt: number;
  readonly #redact: (text: string) => string;
  readonly #isObserved: boolean;
  readonly #begunAt: number;

  constructor(
    configuration: CommonConfiguration,
    operation: Operation,
    attempt: number,
    redact: (text: string) => string,
  ) {
    const { clock, onEvent, logger } = configuration;
    this.#configuration = configuration;
    this.#operation = operation;
    this.#attempt = attempt;
    this.#redact = redact;
    this.#isObserved = onEvent !== undefined || logger !== SILENT;
    this.#begunAt = clock.monotonic();
    onEvent?.(Object.freeze({ type: "request", ...operation.info, attempt }));
  }

  get requestId(): string | undefined {
    for (const header of this.#headers) {
      const requestId = readRequestId(header, this.#redact);
      if (requestId !== undefined) return requestId;
    }
    return undefined;
  }

  ended(outcome: ClientEvent["outcome"] & string, error?: unknown): void {
    if (!this.#isObserved) return;
    const { clock, onEvent, logger } = this.#configuration;
    const { info, label } = this.#operation;
    const { requestId } = this;
    const event = Object.freeze({
      type: "response",
      ...info,
      attempt: this.#attempt,
      outcome,
      durationMs: clock.monotonic() - this.#begunAt,
      ...(error instanceof SaasManagementError ? { code: error.code } : {}),
      ...(requestId === undefined ? {} : { requestId }),
    } as const);
    onEvent?.(event);
    logger.debug(`saas-management: ${label}: ${outcome}`, event);
  }
}

/** Headers with the server's own id of a request; the service description names none. */
const REQUEST_ID_HEADERS = ["x-request-id", "x-correlation-id"];

/** The server's id of a request: only what looks like an id, because it stands in errors and events. */
export function readRequestId(header: ReadHeader, redact: (text: string) => string): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = header(name);
    if (typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) && redact(value) === value)
      return value;
  }
  return undefined;
}

/**
 * Runs a call of the user and adds the place of the call to the stack of an error of the SDK: it is usually created in a
 * callback of the network or of a timer. Other errors, and the caller's abort reason, stay as they are.
 */
export async function withCallSite<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
  const site: { stack?: string } = {};
  // Firefox does not have it.
  Error.captureStackTrace?.(site, withCallSite);
  try {
    return await call();
  } catch (error) {
    if (error instanceof SaasManagementError && !(signal?.aborted === true && error === signal.reason))
      appendFrames(error, framesOf(site));
    throw error;
  }
}

function framesOf({ stack }: { stack?: string }): readonly string[] {
  return typeof stack === "string" ? stack.split("\n").slice(1) : [];
}

/** Repeated frames are left out: a call within a call has those of the outer one already. */
function appendFrames(error: Error, frames: readonly string[]): void {
  if (typeof error.stack !== "string") return;
  const known = error.stack.split("\n");
  const added = frames.filter((frame) => !frame.includes("node:internal/") && !known.includes(frame));
  error.stack = [...known, ...added].join("\n");
}
