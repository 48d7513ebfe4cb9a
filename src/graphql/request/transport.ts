import { type LinkedController, linkAbort, raceAbort } from "../../core/abort.js";
import { ClosedError } from "../../core/errors/index.js";
import { runOperation } from "../../core/operation.js";
import { resolveRetry } from "../../core/retry.js";
import { type GraphQLConfiguration, type MutationOptions, mergeHeaders } from "../options.js";
import type { PageSizes } from "../paging/page-sizes.js";
import type { Document, Operation } from "./document.js";
import type { AnswerReader, Failures } from "./failures.js";
import type { GraphQLAnswer } from "./response.js";
import type { JsonObject } from "./variables.js";

type Wire = typeof import("./attempt.js");

/** Loads graphql and graphql-request on the first request, to keep importing the SDK cheap. */
let wire: Wire | undefined;

/** Sends documents to the endpoint, with credential, deadline and retries. */
export class Transport {
  readonly #configuration: GraphQLConfiguration;
  readonly #running = new Map<LinkedController, Promise<unknown>>();
  #closed = false;
  /** The latest credential that the service accepted. */
  #accepted: string | undefined;

  constructor(configuration: GraphQLConfiguration) {
    this.#configuration = configuration;
  }

  get pageSizes(): PageSizes {
    return this.#configuration.pageSizes;
  }

  /** Sends a document and returns what `read` extracts from the response. */
  send<Data, Result>(
    document: Document<Data, never>,
    variables: (operation: Operation) => JsonObject,
    options: MutationOptions,
    read: AnswerReader<Data, Result>,
  ): Promise<Result> {
    const linked = linkAbort(options.signal);
    const sent = async (): Promise<Result> => {
      if (this.#closed) throw new ClosedError("The GraphQL client is closed. Create a new one.");
      const { common, credential, headers: ofClient, url } = this.#configuration;
      const { timeoutMs = common.timeoutMs } = options;
      const retry = resolveRetry(options.retry, common.retry);
      const headers = options.headers === undefined ? ofClient : mergeHeaders(ofClient, options.headers);
      wire ??= await import("./attempt.js");
      const { Failures, readDocument, sendAttempt, UNKNOWN_OUTCOME } = wire;
      const operation = readDocument(document);
      const { kind, label, name, text } = operation;
      const isQuery = kind === "query";
      const repeatable = isQuery || options.idempotent === true;
      const body = { query: text, variables: variables(operation) };
      const progress = { sent: false, notBegun: false };
      return runOperation(
        { ...common, retry, timeoutMs },
        {
          call: "graphql.operation",
          info: { api: "graphql", operation: name ?? "anonymous" },
          facts: () => ({ endpoint: new URL(url).origin }),
          label,
          credential,
          cancellation: linked.controller,
          repeatable,
          timeoutAdvice: () =>
            progress.sent && !repeatable ? `Raise timeoutMs. ${UNKNOWN_OUTCOME}` : undefined,
          // A mutation must not run twice: one field may be refused after another was executed.
          mayReplaceKey: () => repeatable || progress.notBegun,
        },
        async (context) => {
          const { authorization, redact } = context;
          const isReadOnlyKey = !isQuery && authorization !== undefined && authorization === this.#accepted;
          const { clock } = common;
          const failures = new Failures({ label, url, repeatable, isReadOnlyKey, clock, redact });
          const request = { configuration: this.#configuration, headers, body, progress, read };
          const answer = sendAttempt<Data, Result>({ ...request, context, failures });
          // The caller's fetch may ignore the signal.
          const result = await raceAbort(answer, context.signal);
          this.#accepted = authorization;
          return result;
        },
      );
    };
    const running = sent().finally(() => {
      linked.unlink();
      this.#running.delete(linked);
    });
    this.#running.set(linked, running);
    return running;
  }

  /** Refuses new requests, cancels running ones and waits for them to end. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { controller } of this.#running.keys())
      controller.abort(new ClosedError("The GraphQL client was closed during the request."));
    await Promise.allSettled(this.#running.values());
  }
}

/** Reads the data of a response; any entry in `errors` is a failure. */
export function dataOf<Data>(answer: GraphQLAnswer<Data>, failures: Failures): Data {
  if (answer.errors.length > 0) throw failures.responseErrors(answer);
  if (answer.data === null) throw failures.notGraphQL(answer);
  return answer.data;
}

/** Reads the data and its metadata. */
export function answerOf<Data>(answer: GraphQLAnswer<Data>, failures: Failures) {
  const { redact } = failures.context;
  return { data: dataOf(answer, failures), requestId: answer.requestId, redact };
}
