import { type LinkedController, linkAbort, raceAbort } from "../../core/abort.js";
import { annotate, ClosedError, TimeoutError } from "../../core/errors/index.js";
import { type AttemptContext, readRequestId, runOperation } from "../../core/operation.js";
import { resolveRetry } from "../../core/options.js";
import { requirePositive } from "../../core/validate.js";
import { type FetchLike, type GraphQLConfiguration, type MutationOptions, mergeHeaders } from "../options.js";
import type { AnswerReader, Failures } from "./attempt.js";
import type { GraphQLDocument, Operation } from "./document.js";
import type { GraphQLAnswer } from "./response.js";
import type { JsonObject } from "./variables.js";

type Wire = typeof import("./attempt.js");

/** graphql and graphql-request are loaded with the first request: importing the SDK stays cheap. */
let wire: Wire | undefined;

/** Variables, or what makes them when the document is known. */
type Variables = JsonObject | undefined | ((operation: Operation) => JsonObject);

/** Data, and what belongs to the answer that brought it. */
export interface IdentifiedData<Data> {
  readonly data: Data;
  /** The server's own id of the request. */
  readonly requestId: string | undefined;
  /** Takes the credential out of a text of the server. */
  readonly redact: (text: string) => string;
}

/** Sends documents to the endpoint, with credential, deadline and retries. */
export class Transport {
  readonly #configuration: GraphQLConfiguration;
  readonly #running = new Map<LinkedController, Promise<unknown>>();
  #closed = false;

  constructor(configuration: GraphQLConfiguration) {
    this.#configuration = configuration;
  }

  /** Returns the data of a response without errors. */
  request<Data>(
    document: GraphQLDocument<Data, never>,
    variables: Variables,
    options?: MutationOptions,
  ): Promise<Data> {
    return this.#start<Data, Data>(document, variables, options, ({ readData }) => readData);
  }

  /** Does the same for callers that look for failures in the data. */
  identifiedRequest<Data>(
    document: GraphQLDocument<Data, never>,
    variables: Variables,
    options?: MutationOptions,
  ): Promise<IdentifiedData<Data>> {
    return this.#start<Data, IdentifiedData<Data>>(
      document,
      variables,
      options,
      ({ readData }, redact) =>
        (answer, failures) => ({
          data: readData(answer, failures),
          requestId: readRequestId((name) => answer.headers.get(name), redact),
          redact,
        }),
    );
  }

  /** Returns data and errors of a response. */
  rawRequest<Data>(
    document: GraphQLDocument<Data, never>,
    variables: Variables,
    options?: MutationOptions,
  ): Promise<GraphQLAnswer<Data>> {
    return this.#start<Data, GraphQLAnswer<Data>>(
      document,
      variables,
      options,
      ({ readAnswer }) => readAnswer,
    );
  }

  /** Refuses new requests, cancels those that are running and waits for their end. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { controller } of this.#running.keys())
      controller.abort(new ClosedError("The GraphQL client was closed during the request."));
    await Promise.allSettled(this.#running.values());
  }

  #start<Data, Result>(
    document: object | string,
    variables: Variables,
    options: MutationOptions = {},
    reader: (wire: Wire, redact: (text: string) => string) => AnswerReader<Data, Result>,
  ): Promise<Result> {
    const linked = linkAbort(options.signal);
    const running = this.#send(document, variables, options, reader, linked.controller).finally(() => {
      linked.unlink();
      this.#running.delete(linked);
    });
    this.#running.set(linked, running);
    return running;
  }

  async #send<Data, Result>(
    document: object | string,
    variables: Variables,
    options: MutationOptions,
    reader: (wire: Wire, redact: (text: string) => string) => AnswerReader<Data, Result>,
    cancellation: AbortController,
  ): Promise<Result> {
    if (this.#closed) throw new ClosedError("The GraphQL client is closed. Create a new one.");
    const { common, credential, headers: defaults, maxResponseBytes, url } = this.#configuration;
    const headers = options.headers === undefined ? defaults : mergeHeaders(defaults, options.headers);
    const configuration = {
      ...common,
      retry: options.retry === undefined ? common.retry : resolveRetry(options.retry),
      timeoutMs: requirePositive("timeoutMs", options.timeoutMs ?? common.timeoutMs),
    };
    wire ??= await import("./attempt.js");
    const loaded = wire;
    const operation = loaded.readDocument(document);
    const { kind, label, name, text } = operation;
    const repeatable = operation.readOnly || options.idempotent === true;
    const sentVariables = typeof variables === "function" ? variables(operation) : variables;
    let failures: Failures | undefined;
    let sent = false;
    let notBegun = false;
    const attempt = (context: AttemptContext): Promise<Result> => {
      const { authorization, redact, signal } = context;
      notBegun = false;
      failures = new loaded.Failures({ label, url, repeatable, now: () => common.clock.now(), redact });
      const fetch = this.#observedFetch(context);
      const answer = loaded.sendAttempt<Data, Result>({
        url,
        fetch: (target, init) => {
          sent = true;
          return fetch(target, init);
        },
        headers: { ...headers, authorization },
        text,
        variables: sentVariables,
        signal,
        maxResponseBytes,
        repeatable,
        failures,
        redact,
        read: reader(loaded, redact),
        onNotBegun: () => {
          notBegun = true;
        },
      });
      // A fetch of the caller may ignore the signal.
      return raceAbort(answer, signal);
    };
    try {
      return await runOperation(
        configuration,
        {
          info: { api: "graphql", operation: name, kind, collection: undefined },
          label,
          credential,
          cancellation,
          repeatable,
          // A mutation must not be done twice: one field of it may be refused after another was executed.
          mayReplaceKey: () => repeatable || notBegun,
        },
        attempt,
      );
    } catch (error) {
      // The caller's own reason may be a TimeoutError too.
      const timedOut = error instanceof TimeoutError && options.signal?.reason !== error;
      if (!timedOut || !sent || repeatable || failures === undefined) throw error;
      throw annotate(failures.timedOut(error), error);
    }
  }

  #observedFetch({ answered, signal }: AttemptContext): FetchLike {
    return async (url, init) => {
      signal.throwIfAborted();
      // Not called as a method: a browser's fetch refuses to be one.
      const { fetch } = this.#configuration;
      const response = await fetch(url, init);
      if (typeof response?.headers?.get !== "function")
        throw new TypeError("fetch did not return a Response");
      answered({ status: response.status, header: (name) => response.headers.get(name) });
      return response;
    };
  }
}
