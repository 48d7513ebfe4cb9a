import { type Credential, OperationCredential } from "./credential.js";
import { annotate, SaasManagementError } from "./errors/index.js";
import { type Observed, OperationEvents } from "./hooks.js";
import { type CommonConfiguration, sendableHeaders } from "./options.js";
import { Deadline, withRetry } from "./retry.js";
import { type ChannelMessage, openTrace, type Trace, type TracedCall, traced } from "./trace.js";

export interface AttemptContext {
  /** The `Authorization` value; undefined if a proxy adds the header. */
  readonly authorization: string | undefined;
  readonly redact: (text: string) => string;
  /** Aborts when the caller aborts or the operation's time is up. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /**
   * Headers that subscribers of a tracing channel add, with names in lower case. In the Sync API, the caller's headers
   * are included.
   */
  readonly carried: Readonly<Record<string, string>>;
  /** Reports the headers of a response as soon as they're known. May be called again with more headers. */
  readonly answered: (header: ReadHeader) => void;
}

/** Reads a header or a metadata field; values that aren't strings are ignored. */
export type ReadHeader = (name: string) => unknown;

export interface Operation extends Observed {
  readonly call: TracedCall;
  /** Facts that only the tracing channel publishes. */
  readonly facts: () => Pick<ChannelMessage, "endpoint" | "collection" | "leaseRemainingMs">;
  readonly parent?: ChannelMessage | undefined;
  readonly credential: Credential;
  /** The caller's signal, or this operation's own controller, linked to that signal. */
  readonly cancellation: AbortSignal | AbortController | undefined;
  /** Whether calling the same method again is safe after the time is up. */
  readonly repeatable: boolean;
  /** What to do when the time is up, for the error's message. @default to raise `timeoutMs`, or try again later */
  readonly timeoutAdvice?: (() => string | undefined) | undefined;
  /**
   * Whether another key may be tried, because the attempt with the refused key had no effect. @default always
   */
  readonly mayReplaceKey?: ((failure: SaasManagementError) => boolean) | undefined;
}

/**
 * Runs one operation of either API: fetches the credential for each attempt, keeps one deadline, and retries transient
 * failures.
 */
export function runOperation<T>(
  configuration: CommonConfiguration,
  operation: Operation,
  attempt: (context: AttemptContext) => Promise<T>,
): Promise<T> {
  const { call, info, facts } = operation;
  const trace = configuration.isTraced
    ? openTrace(call, () => ({ ...info, ...facts() }), operation.parent)
    : undefined;
  return traced(trace, () => runAttempts(configuration, operation, attempt, trace));
}

const NOTHING_CARRIED = {};

async function runAttempts<T>(
  configuration: CommonConfiguration,
  operation: Operation,
  attempt: (context: AttemptContext) => Promise<T>,
  trace: Trace | undefined,
): Promise<T> {
  const { clock, retry: policy, retryBudget: budget, timeoutMs } = configuration;
  const { cancellation, label, repeatable: retryable, timeoutAdvice: advice } = operation;
  const deadline = new Deadline({ clock, timeoutMs, operation: label, advice, cancellation, retryable });
  const { signal } = deadline;
  const credential = new OperationCredential(operation.credential, signal);
  const redact = (text: string): string => credential.redact(text);
  const events = new OperationEvents(configuration, operation, trace);
  const carried = trace === undefined ? NOTHING_CARRIED : sendableHeaders(trace.message.carrier);
  const attemptOnce = async (number: number): Promise<T> => {
    const headers: ReadHeader[] = [];
    const answered = (header: ReadHeader): void => void headers.push(header);
    const requestId = () => readRequestId((name) => findHeader(headers, name), redact);
    const header = (name: string) => {
      const value = findHeader(headers, name);
      return value === undefined ? undefined : redact(value);
    };
    const ended = events.attempt(number, { requestId, header });
    try {
      const authorization = await credential.next();
      const timeoutMs = deadline.remainingMs;
      const value = await attempt({ authorization, redact, signal, timeoutMs, carried, answered });
      ended("success");
      return value;
    } catch (error) {
      // The caller's abort reason may be an SDK error, from another operation.
      const byCaller = deadline.isCallersReason(error);
      if (!byCaller) annotate(error, { requestId: requestId() });
      ended(byCaller ? "cancelled" : "failure", error);
      throw error;
    }
  };
  const recover = async (failure: SaasManagementError) =>
    operation.mayReplaceKey?.(failure) !== false && credential.replaceAfter(failure);
  const { onRetry } = events;
  try {
    return await withRetry(attemptOnce, { policy, clock, deadline, budget, recover, onRetry });
  } finally {
    deadline.end();
  }
}

/** Returns the first value; gRPC sends metadata twice. */
function findHeader(headers: readonly ReadHeader[], name: string): string | undefined {
  return headers.map((header) => header(name)).find((value) => typeof value === "string");
}

/** Common headers for the server's own request id; the service description names none. */
const REQUEST_ID_HEADERS = ["x-request-id", "x-correlation-id"];

/** The server's request id, which must look like an id, because errors and events show it. */
export function readRequestId(header: ReadHeader, redact: (text: string) => string): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = header(name);
    if (typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) && redact(value) === value)
      return value;
  }
  return undefined;
}

/**
 * Runs a user's call and adds its call site to the stack of an SDK error, which is usually created in a network or
 * timer callback. Doesn't touch other errors or the caller's abort reason.
 */
export async function withCallSite<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
  const site: { stack?: string } = {};
  // Firefox may have no `captureStackTrace`.
  Error.captureStackTrace?.(site, withCallSite);
  try {
    return await call();
  } catch (error) {
    if (error instanceof SaasManagementError && !(signal?.aborted === true && error === signal.reason))
      appendFrames(error, framesOf(site));
    throw error;
  }
}

/** Keeps a call that nobody awaits from causing an unhandled rejection: a later call reports its failure. */
export function handled<T>(call: Promise<T>): Promise<T> {
  call.catch(() => {});
  return call;
}

function framesOf({ stack }: { stack?: string }): readonly string[] {
  return typeof stack === "string" ? stack.split("\n").slice(1) : [];
}

/** Adds only frames that aren't in the stack yet, because a nested call has already added those of the outer call. */
function appendFrames(error: Error, frames: readonly string[]): void {
  if (typeof error.stack !== "string") return;
  const known = error.stack.split("\n");
  const added = frames.filter((frame) => !frame.includes("node:internal/") && !known.includes(frame));
  error.stack = [...known, ...added].join("\n");
}
