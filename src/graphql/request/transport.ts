import { type LinkedController, linkAbort, raceAbort } from "../../core/abort.js";
import type { Credential } from "../../core/credential.js";
import { annotate, ClosedError, type SaasManagementError, TimeoutError } from "../../core/errors/index.js";
import { type AttemptContext, readRequestId, runOperation } from "../../core/operation.js";
import { type CommonConfiguration, resolveRetry } from "../../core/options.js";
import { requirePositive, whileReading } from "../../core/validate.js";
import { type GraphQLClientOptions, resolveGraphQLOptions } from "../configuration.js";
import { type AnswerReader, type GraphQLAnswer, readAnswer, readData } from "./answer.js";
import type { FetchLike } from "./attempt.js";
import type { Operation } from "./document.js";
import type { GraphQLDocument } from "./document-types.js";
import type { Failures } from "./failures.js";
import { isObject, jsonCopy } from "./json.js";
import { loadWire, wire } from "./load-wire.js";
import { requestHeaders, type SentHeaders } from "./request-headers.js";
import type { MutationOptions } from "./request-options.js";

/** Data, and the server's own id of the request that brought it. */
interface IdentifiedData<Data> {
  readonly data: Data;
  readonly requestId: string | undefined;
  /** Takes the credential out of a text that came with it. */
  readonly redact: (text: string) => string;
}

/** Makes the variables of a request, when it is known what its document is. */
type VariablesFor = (operation: Operation) => object | undefined;

/** Reads what the caller gave, in the turn of the call: what it becomes afterwards is another request's. */
type VariablesReader = () => VariablesFor;

/** Sends documents to the one endpoint, with credential, deadline and retries. */
export class Transport {
  readonly #url: string;
  readonly #fetch: FetchLike;
  readonly #credential: Credential;
  readonly #configuration: CommonConfiguration;
  readonly #headers: SentHeaders;
  readonly #maxResponseBytes: number;
  readonly #running = new Map<LinkedController, Promise<unknown>>();
  #closed = false;

  /** @throws {ConfigurationError} an option is not usable */
  constructor(options: GraphQLClientOptions) {
    const resolved = whileReading("The options", options, () => resolveGraphQLOptions(options));
    this.#configuration = resolved.configuration;
    this.#credential = resolved.credential;
    this.#url = resolved.url;
    this.#fetch = resolved.fetch;
    this.#headers = resolved.headers;
    this.#maxResponseBytes = resolved.maxResponseBytes;
  }

  /** The data of a response without errors. */
  request<Data>(
    document: GraphQLDocument<Data, never>,
    variables?: object,
    options?: MutationOptions,
  ): Promise<Data> {
    return this.#start<Data, Data>(document, copyOf(variables), options, readData);
  }

  /** The same, with the server's id of the request: for failures that only the data shows. */
  identifiedRequest<Data>(
    document: GraphQLDocument<Data, never>,
    variables?: object,
    options?: MutationOptions,
  ): Promise<IdentifiedData<Data>> {
    return this.#start<Data, IdentifiedData<Data>>(
      document,
      copyOf(variables),
      options,
      (answer, failures) => ({
        data: readData(answer, failures),
        requestId: readRequestId((name) => answer.headers.get(name), failures.redact),
        redact: failures.redact,
      }),
    );
  }

  /** Data and errors of a response. */
  rawRequest<Data>(
    document: GraphQLDocument<Data, never>,
    variables?: object,
    options?: MutationOptions,
  ): Promise<GraphQLAnswer<Data>> {
    return this.#start<Data, GraphQLAnswer<Data>>(document, copyOf(variables), options, readAnswer);
  }

  /** The data of a response without errors, to variables that depend on the document. */
  describedRequest<Data>(
    document: GraphQLDocument<Data, never>,
    variablesFor: VariablesFor,
    options?: MutationOptions,
  ): Promise<Data> {
    return this.#start<Data, Data>(document, () => variablesFor, options, readData);
  }

  /** Refuses new requests, cancels those under way and waits until they have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { controller } of this.#running.keys()) {
      controller.abort(new ClosedError("The GraphQL client was closed while the request was under way."));
    }
    await Promise.allSettled(this.#running.values());
  }

  #start<Data, Result>(
    document: object | string,
    readVariables: VariablesReader,
    options: MutationOptions = {},
    read: AnswerReader<Data, Result>,
  ): Promise<Result> {
    const linked = linkAbort(options.signal);
    const end = () => {
      linked.unlink();
      this.#running.delete(linked);
    };
    const running = this.#send(document, readVariables, options, read, linked.controller).finally(end);
    this.#running.set(linked, running);
    return running;
  }

  async #send<Data, Result>(
    document: object | string,
    readVariables: VariablesReader,
    options: MutationOptions,
    read: AnswerReader<Data, Result>,
    controller: AbortController,
  ): Promise<Result> {
    if (this.#closed) throw new ClosedError("The GraphQL client is closed: make a new one.");
    const variablesFor = readVariables();
    const { clock, timeoutMs, retry } = this.#configuration;
    const headers = requestHeaders(this.#headers, options.headers);
    const configuration = {
      ...this.#configuration,
      retry: options.retry === undefined ? retry : resolveRetry(options.retry),
      timeoutMs:
        options.timeoutMs === undefined ? timeoutMs : requirePositive("timeoutMs", options.timeoutMs),
    };
    const begunAt = wire.loaded === undefined ? clock.monotonic() : undefined;
    const { exchange, Failures, readDocument } = wire.loaded ?? (await loadWire(configuration, controller));
    const described = readDocument(document);
    const { kind, label, name, readOnly, text } = described;
    const variables = variablesFor(described);
    const repeatable = readOnly || options.idempotent === true;
    let latest: Failures | undefined;
    let sent = false;
    const attempt = (context: AttemptContext): Promise<Result> => {
      const { redact } = context;
      const failures = new Failures({ label, url: this.#url, repeatable, now: () => clock.now(), redact });
      latest = failures;
      const fetch = this.#observedFetch(context);
      const answer = exchange<Data, Result>({
        url: this.#url,
        fetch: (url, init) => {
          sent = true;
          return fetch(url, init);
        },
        headers: { ...headers, authorization: context.authorization },
        text,
        variables,
        signal: context.signal,
        maxResponseBytes: this.#maxResponseBytes,
        failures,
        read,
      });
      // A fetch of the user's may never look at the signal.
      return raceAbort(answer, context.signal);
    };
    const info = { api: "graphql", operation: name, kind, collection: undefined } as const;
    const credential = this.#credential;
    const mayReplaceKey = (failure: SaasManagementError) => latest?.mayReplaceKey(failure) === true;
    const asked = { info, label, repeatable, mayReplaceKey };
    const operation = { ...asked, credential, cancellation: controller, begunAt };
    try {
      return await runOperation(configuration, operation, attempt);
    } catch (error) {
      // The caller's own reason may be a TimeoutError too.
      const own = error instanceof TimeoutError && options.signal?.reason !== error;
      throw own && sent && !repeatable && latest !== undefined
        ? annotate(latest.timedOut(error), error)
        : error;
    }
  }

  #observedFetch({ answered, signal }: AttemptContext): FetchLike {
    return async (url, init) => {
      // A fetch of the user's may never look at the signal, and what is cancelled by now must not be sent.
      signal.throwIfAborted();
      // Not as a method: a browser's own asks to be called by itself.
      const fetch = this.#fetch;
      const response = await fetch(url, init);
      // A fetch of the user's may give anything.
      if (typeof response?.headers?.get !== "function") throw new TypeError("fetch gave no Response");
      answered({ status: response.status, header: (name) => response.headers.get(name) });
      return response;
    };
  }
}

/** Variables as they are now, the same for every attempt. */
function copyOf(variables: object | undefined): VariablesReader {
  return () => {
    const { variables: copy } = jsonCopy({ variables });
    return () => (isObject(copy) ? copy : undefined);
  };
}
