import type { ErrorCode } from "@saas-management/sdk";
import type { FaultKind, RetryAfter } from "./faults.js";

/**
 * What an answer means, according to the documentation.
 *
 * - `good`: the request succeeded.
 * - `transient`: a retry may succeed, if it is safe.
 * - `lasting`: a retry would fail too.
 * - `unauthorized`: a retry may succeed with another key.
 */
export interface Verdict {
  readonly outcome: "good" | "transient" | "lasting" | "unauthorized";
  /** Code of the error, if it is one. */
  readonly code?: ErrorCode;
  /** Time before which the service wants no other request. */
  readonly notBefore?: number;
}

export const GOOD: Verdict = { outcome: "good" };
export const UNAUTHORIZED: Verdict = { outcome: "unauthorized", code: "AUTHENTICATION_FAILED" };

const BROKEN_TRANSPORT = { outcome: "lasting", code: "TRANSPORT_FAILED" } as const;
const DISTURBED = { outcome: "transient", code: "TRANSPORT_FAILED" } as const;

/** A connection that fails with this code fails again. */
export const LASTING_CODE = "CERT_HAS_EXPIRED";

/** What an answer with this fault means. @param raw Whether the caller uses `rawRequest`. */
export function verdictOf(kind: FaultKind, now: number, raw: boolean): Verdict {
  switch (kind.type) {
    case "lost":
      return kind.code === LASTING_CODE ? BROKEN_TRANSPORT : DISTURBED;
    case "status":
      return verdictOfStatus(kind, now, raw);
    case "cut":
      return DISTURBED;
    case "content":
    case "garbage":
    case "oversized":
    case "redirect":
      return BROKEN_TRANSPORT;
    case "errors":
      return verdictOfErrors(kind, now, raw);
    case "revoked":
      return UNAUTHORIZED;
    case "payload":
      return {
        outcome: "good",
        code: kind.what === "errors" ? "MUTATION_REJECTED" : "TRANSPORT_FAILED",
      };
    case "cursor":
      return { outcome: "good", code: "PAGINATION" };
    case "page":
      return kind.what === "none" ? { outcome: "good", code: "PAGINATION" } : GOOD;
    case "delayed":
    case "stalled":
      return GOOD;
  }
}

function verdictOfStatus(
  { status, body, retryAfter }: Extract<FaultKind, { type: "status" }>,
  now: number,
  raw: boolean,
): Verdict {
  const asked = asksToWait(retryAfter, now);
  if (status === 403) return { outcome: "lasting", code: "PERMISSION_DENIED" };
  if (status === 429) return { outcome: "transient", code: "RATE_LIMITED", ...asked };
  if (status === 400 || status === 500) return body === "json" ? withErrors(raw) : BROKEN_TRANSPORT;
  return { ...DISTURBED, ...asked };
}

function verdictOfErrors(
  { code, data, retryAfter }: Extract<FaultKind, { type: "errors" }>,
  now: number,
  raw: boolean,
): Verdict {
  if (data !== "whole" && code === "AUTH_NOT_AUTHORIZED") return UNAUTHORIZED;
  if (data !== "whole" && code === "RATE_LIMITED")
    return { outcome: "transient", code: "RATE_LIMITED", ...asksToWait(retryAfter, now) };
  return withErrors(raw);
}

/** A response with `errors`, which `rawRequest` returns. */
function withErrors(raw: boolean): Verdict {
  return raw ? GOOD : { outcome: "lasting", code: "GRAPHQL_ERRORS" };
}

function asksToWait(retryAfter: RetryAfter | undefined, now: number): { readonly notBefore?: number } {
  if (retryAfter === undefined || retryAfter.form === "nonsense") return {};
  const notBefore = now + retryAfter.seconds * 1000;
  // A date has no fractions of a second.
  return { notBefore: retryAfter.form === "seconds" ? notBefore : Math.floor(notBefore / 1000) * 1000 };
}

export function retryAfterHeader(retryAfter: RetryAfter | undefined, now: number): Record<string, string> {
  if (retryAfter === undefined) return {};
  if (retryAfter.form === "nonsense") return { "retry-after": "soon" };
  const { form, seconds } = retryAfter;
  return { "retry-after": form === "seconds" ? `${seconds}` : new Date(now + seconds * 1000).toUTCString() };
}
