import { expect, test } from "vitest";
import { disposition } from "../../src/core/errors/disposition.js";
import {
  AuthenticationError,
  BatchInProgressError,
  BatchOutcomeUnknownError,
  BatchStateError,
  ClosedError,
  ConfigurationError,
  GraphQLResponseError,
  InterruptedError,
  InvalidInputError,
  MutationError,
  PaginationError,
  PermissionDeniedError,
  RateLimitError,
  RunHeldError,
  RunOutdatedError,
  type SaasManagementError,
  SpoolError,
  SyncProtocolError,
  TimeoutError,
  TransportError,
} from "../../src/core/errors/index.js";

const issues = [{ path: "id", expected: "a string, got a number" }];
const report = { installationId: "i", ledger: "l", summary: "", reasons: [], notes: [], approval: undefined };

test.each<[error: SaasManagementError, next: ReturnType<typeof disposition>]>([
  [new RunHeldError("held", { report }), "needs-approval"],
  [new InvalidInputError("a record", { issues }), "fix-data"],
  [new InvalidInputError("an argument"), "fix-configuration"],
  [new MutationError("refused", { mutation: "m", errors: [] }), "fix-data"],
  [new SyncProtocolError("refused", { grpcStatus: "INVALID_ARGUMENT" }), "fix-data"],
  [new SyncProtocolError("nonsense"), "unknown"],
  [new ConfigurationError("an option"), "fix-configuration"],
  [new SpoolError("full", { directory: "d", bytesNeeded: 1 }), "fix-configuration"],
  [new AuthenticationError("refused"), "fix-credential"],
  [new PermissionDeniedError("refused"), "fix-credential"],
  [new BatchInProgressError("locked", { installationId: "i" }), "retry-after"],
  [new RunOutdatedError("overtaken", { installationId: "i", otherBatchId: "b" }), "retry-now"],
  [new RateLimitError("slower"), "retry-after"],
  [new TimeoutError("late", { timeoutMs: 1 }), "retry-after"],
  [new TransportError("reset", { retryable: true }), "retry-after"],
  [new TransportError("broken", { status: 500 }), "retry-after"],
  [new TransportError("a page of HTML", { status: 404 }), "fix-configuration"],
  [new BatchStateError("expired", { state: "expired", reason: "expired" }), "retry-now"],
  [new InterruptedError("stopped", { signalName: "SIGTERM" }), "retry-now"],
  [new BatchOutcomeUnknownError("lost", { batchId: "b" }), "unknown"],
  [new GraphQLResponseError("errors", { status: 200, errors: [], data: null }), "unknown"],
  [new PaginationError("repeats", { cursor: undefined, nodesYielded: 0 }), "unknown"],
  [new ClosedError("closed"), "unknown"],
])("tells a scheduler what to do after %s", (error, next) => {
  expect(disposition(error)).toBe(next);
});

test("gives no disposition for errors of other libraries", () => {
  expect([new Error("own"), "text", undefined].map(disposition)).toEqual(["unknown", "unknown", "unknown"]);
});

test("a failed write has the disposition of its error", () => {
  const incomplete = (cause?: unknown) =>
    disposition(new BatchStateError("refused", { state: "active", reason: "incomplete", cause }));
  expect(incomplete(new InvalidInputError("a record", { issues }))).toBe("fix-data");
  expect(incomplete(new RateLimitError("slower"))).toBe("retry-after");
  expect([incomplete(new Error("own")), incomplete()]).toEqual(["unknown", "retry-now"]);
});

test("retries when the key function asks for a retry", () => {
  const cause = Object.assign(new Error("The vault is sealed."), { retryable: true });
  expect(disposition(new AuthenticationError("no key", { cause }))).toBe("retry-after");
});

test("retries when another library's error asks for a retry", () => {
  const again = (facts: object) =>
    disposition(Object.assign(new Error("own"), { retryable: true, ...facts }));
  expect([again({}), again({ retryAfterMs: 500 })]).toEqual(["retry-after", "retry-after"]);
  expect([again({ retryAfterMs: 0 }), again({ retryable: "yes" })]).toEqual(["retry-now", "unknown"]);
});
