import { Credential } from "../credential.js";
import { Deadline } from "../deadline.js";
import { ClosedError } from "../errors.js";
import {
  type CommonConfiguration,
  type CommonOptions,
  resolveCommonOptions,
  resolveEndpoint,
  resolveRetry,
  resolveTimeout,
} from "../options.js";
import { withRetry } from "../retry.js";
import { type LinkedController, linkedController } from "../signals.js";
import { untilAborted } from "../until-aborted.js";
import { type AnswerReader, type GraphQLAnswer, readAnswer, readData } from "./answer.js";
import type { Operation } from "./document.js";
import type { GraphQLDocument } from "./document-types.js";
import type { FetchLike } from "./exchange.js";
import { Failures } from "./failures.js";
import { loadWire } from "./load-wire.js";
import { defaultHeaders, requestHeaders } from "./request-headers.js";
import type { MutationOptions } from "./request-options.js";

/** Options of a GraphQL client. */
export interface GraphQLClientOptions extends CommonOptions {
  /**
   * Base of the API, which is `POST {baseUrl}/graphql`: absolute `https://`, or `http://` to loopback. May have a
   * path.
   */
  readonly baseUrl: string;
  /** Sends the requests. It must heed `redirect: "manual"`. @default globalThis.fetch */
  readonly fetch?: FetchLike | undefined;
}

/** Sends documents to the one endpoint, with credential, deadline and retries. */
export class Transport {
  readonly #url: string;
  readonly #fetch: FetchLike;
  readonly #credential: Credential;
  readonly #configuration: CommonConfiguration;
  readonly #headers: Headers;
  readonly #running = new Map<LinkedController, Promise<unknown>>();
  #closed = false;

  /** @throws {ConfigurationError} an option is not usable */
  constructor(options: GraphQLClientOptions) {
    this.#configuration = resolveCommonOptions(options);
    this.#credential = new Credential(options, "");
    const url = resolveEndpoint("baseUrl", options.baseUrl, "path");
    this.#url = `${url.origin}${url.pathname === "/" ? "" : url.pathname}/graphql`;
    // Looked up with each request: what replaces the global one later (a tracer, a test) is heeded.
    this.#fetch = options.fetch ?? ((target, init) => globalThis.fetch(target, init));
    this.#headers = defaultHeaders(this.#configuration.headers, this.#configuration.userAgent);
  }

  /** The data of a response without errors. */
  request<Data>(
    document: GraphQLDocument<Data, never>,
    variables?: object,
    options?: MutationOptions,
  ): Promise<Data> {
    return this.#start<Data, Data>(document, variables, options, readData);
  }

  /** Data and errors of a response. */
  rawRequest<Data>(
    document: GraphQLDocument<Data, never>,
    variables?: object,
    options?: MutationOptions,
  ): Promise<GraphQLAnswer<Data>> {
    return this.#start<Data, GraphQLAnswer<Data>>(document, variables, options, readAnswer);
  }

  /** What a document is, read without sending it. */
  async describe(document: GraphQLDocument<unknown, never>): Promise<Operation> {
    const { readDocument } = await loadWire();
    return readDocument(document);
  }

  /** Takes the credential out of a text that came from the server. */
  redact(text: string): string {
    return this.#credential.redact(text);
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
    variables: object | undefined,
    options: MutationOptions = {},
    read: AnswerReader<Data, Result>,
  ): Promise<Result> {
    const linked = linkedController(options.signal);
    const end = () => {
      linked.unlink();
      this.#running.delete(linked);
    };
    const { signal } = linked.controller;
    const running = this.#send(document, variables, options, read, signal).finally(end);
    this.#running.set(linked, running);
    return running;
  }

  async #send<Data, Result>(
    document: object | string,
    variables: object | undefined,
    options: MutationOptions,
    read: AnswerReader<Data, Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (this.#closed) throw new ClosedError("The GraphQL client is closed: make a new one.");
    const { clock, logger, timeoutMs, retry } = this.#configuration;
    const headers = requestHeaders(this.#headers, options.headers);
    const policy = options.retry === undefined ? retry : resolveRetry(options.retry);
    const time = options.timeoutMs === undefined ? timeoutMs : resolveTimeout(options.timeoutMs);
    const { exchange, readDocument } = await untilAborted(loadWire(), signal);
    const operation = readDocument(document);
    const { label, text } = operation;
    const redact = (message: string) => this.redact(message);
    const failures = new Failures({
      label,
      repeatable: operation.readOnly || options.idempotent === true,
      now: () => clock.now(),
      redact,
    });
    const deadline = new Deadline({ clock, timeoutMs: time, operation: label, signal });
    const attempt = async (): Promise<Result> => {
      headers.set("authorization", await this.#credential.authorization());
      return exchange<Data, Result>({
        url: this.#url,
        fetch: this.#fetch,
        headers: new Headers(headers),
        text,
        variables,
        signal: deadline.signal,
        failures,
        redact,
        read,
      });
    };
    try {
      return await withRetry(() => untilAborted(attempt(), deadline.signal), {
        policy,
        clock,
        deadline,
        onRetry: (event) => logger.warn(`${label} failed and is tried again.`, { ...event }),
      });
    } finally {
      deadline.end();
    }
  }
}
