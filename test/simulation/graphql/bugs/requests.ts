import type { Bug } from "../../bug.js";

/** Bugs of requests, answers and retries. */
export const REQUEST_BUGS: readonly Bug[] = [
  {
    name: "a mutation whose answer was lost is sent again",
    file: "graphql/request/failures.ts",
    right: "retryable: repeatable && retryable,",
    wrong: "retryable,",
  },
  {
    name: "every mutation counts as idempotent",
    file: "graphql/request/transport.ts",
    right: "const repeatable = operation.readOnly || options.idempotent === true;",
    wrong: "const repeatable = true;",
  },
  {
    name: "a mutation that was refused counts as done",
    file: "graphql/mutations.ts",
    right: "errors.length > 0) {",
    wrong: "errors.length > 1) {",
  },
  {
    name: "a payload without a result counts as success",
    file: "graphql/mutations.ts",
    right: 'if (value === null || value === undefined) throw unclear("has neither a result nor an error");',
    wrong: "",
  },
  {
    name: "Retry-After is ignored",
    file: "core/retry.ts",
    right: "const askedMs = retryAfterMs(error) ?? 0;",
    wrong: "const askedMs = 0;",
  },
  {
    name: "a Retry-After that is a date means now",
    file: "core/retry.ts",
    right: "Math.max(0, date - now)",
    wrong: "0",
  },
  {
    name: "an operation waits for an attempt that it has no time for",
    file: "core/retry.ts",
    right: "if (delayMs < remainingMs) return undefined;",
    wrong: "return undefined;",
  },
  {
    name: "there is one attempt too many",
    file: "core/retry.ts",
    right: "retries: policy.retries,",
    wrong: "retries: policy.retries + 1,",
  },
  {
    name: "retries cost nothing",
    file: "core/retry.ts",
    right: "this.#tokens -= RETRY_COST;",
    wrong: "",
  },
  {
    name: "a request is retried after an answer that cannot be read",
    file: "graphql/request/attempt.ts",
    right: "throw failures.notGraphQL(response);",
    wrong: "throw failures.network(error, response);",
  },
  {
    name: "a body is read whatever its content type",
    file: "graphql/request/attempt.ts",
    right: " || !isJson(response.headers)) {",
    wrong: ") {",
  },
  {
    name: "a body that nobody reads is not cancelled",
    file: "graphql/request/attempt.ts",
    right: "discardBody(response);",
    wrong: "",
  },
  {
    name: "a body that begins too late is not cancelled",
    file: "graphql/request/response.ts",
    right: "onAbort(signal, cancel)",
    wrong: "() => {}",
  },
  {
    name: "a body of any size is read",
    file: "graphql/request/response.ts",
    right: "if (size > maxBytes) throw failures.tooLarge(response, maxBytes);",
    wrong: "",
  },
  {
    name: "a cancelled request is sent",
    file: "graphql/request/attempt.ts",
    right: "signal.throwIfAborted();",
    wrong: "",
  },
  {
    name: "requests continue after close()",
    file: "graphql/request/transport.ts",
    right: "for (const { controller } of this.#running.keys())",
    wrong: "for (const { controller } of [].values())",
  },
  {
    name: "a closed client sends",
    file: "graphql/request/transport.ts",
    right: 'if (this.#closed) throw new ClosedError("The GraphQL client is closed. Create a new one.");',
    wrong: "",
  },
  {
    name: "the timer of an operation is left",
    file: "core/operation.ts",
    right: "deadline.end();",
    wrong: "",
  },
  {
    name: "a retry is not reported",
    file: "core/hooks.ts",
    right: 'const event = this.#tell({ type: "retry", attempt, delayMs, code: error.code });',
    wrong: "const event = { attempt, delayMs, code: error.code };",
  },
  {
    name: "a key that was refused is sent again",
    file: "core/credential.ts",
    right: "if (value === refused) return false;",
    wrong: "",
  },
];
