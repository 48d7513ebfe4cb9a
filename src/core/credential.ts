import { raceAbort } from "./abort.js";
import { AuthenticationError, ConfigurationError } from "./errors/index.js";
import type { GraphQLOptions } from "./options.js";
import { redactSecrets, secretsIn } from "./redact.js";

/** A server can only echo what it was sent recently. */
const MAX_SECRETS = 64;

interface PendingCall {
  readonly secret: Promise<unknown>;
  readonly refused: string | undefined;
}

/** Builds the `Authorization` value of each attempt. JSON and inspection do not show the secret. */
export class Credential {
  readonly name: "apiKey" | "authorization";
  /** The Sync API's may be missing until it is used: previews need none. */
  readonly #source: string | (() => unknown) | undefined;
  /** Whether nothing is sent: a proxy adds the header. */
  readonly #isNone: boolean;
  readonly #scheme: string;
  /** Secrets sent recently, the latest first. */
  #secrets: readonly string[] = [];
  #pending: PendingCall | undefined;

  /** @param scheme What stands before an API key: nothing for GraphQL, `"ApiKey "` for the Sync API. */
  constructor(options: Pick<GraphQLOptions, "apiKey" | "authorization">, scheme: "" | "ApiKey ") {
    const { apiKey, authorization } = options;
    this.#isNone = authorization === "none";
    this.#source = authorization ?? apiKey;
    if (this.#source === undefined && scheme === "") throw missingCredential();
    if (apiKey !== undefined && authorization !== undefined)
      throw new ConfigurationError("Both apiKey and authorization are set: set only one of them.");
    if (authorization !== undefined && typeof authorization !== "function" && !this.#isNone)
      throw new ConfigurationError(
        'authorization must be a function that returns the Authorization value, or "none".',
      );
    if (apiKey !== undefined && typeof apiKey !== "function" && typeof apiKey !== "string")
      throw new ConfigurationError("apiKey must be a string, or a function that returns one.");
    this.name = authorization === undefined ? "apiKey" : "authorization";
    this.#scheme = authorization === undefined ? scheme : "";
  }

  /**
   * The `Authorization` value for one attempt; undefined if none is sent.
   * @param signal Ends the wait: a provider may never settle.
   * @param refused Value that the service refused; a pending call may return the same one.
   * @throws {AuthenticationError} the provider failed, what it returned cannot be sent, or there is none
   */
  async authorization(signal: AbortSignal, refused?: string): Promise<string | undefined> {
    const source = this.#source;
    if (this.#isNone) return undefined;
    if (source === undefined) throw missingCredential();
    const secret = typeof source === "string" ? source : await this.#provided(source, signal, refused);
    const refuse = (problem: string) => new AuthenticationError(`${this.name} ${problem}`);
    if (typeof secret !== "string" || secret.trim() === "")
      throw refuse("is empty or not a string. Nothing was sent.");
    if (!/^[\x20-\x7e]+$/.test(secret))
      throw refuse(
        "has a character that a header cannot hold. Nothing was sent. It may contain a trailing newline.",
      );
    if (/^ *(["'`]).*\1 *$/.test(secret))
      throw refuse("is in quotes. Nothing was sent. Leave the quotes out.");
    const prefix = this.name === "apiKey" ? /^ *(bearer|apikey) /i.exec(secret)?.[1] : undefined;
    if (prefix !== undefined)
      throw refuse(
        `begins with ${prefix}. Nothing was sent. Set the key alone, or the whole value as authorization.`,
      );
    if (this.#secrets[0] !== secret)
      this.#secrets = [...new Set([...secretsIn(secret), ...this.#secrets])].slice(0, MAX_SECRETS);
    return this.#scheme + secret;
  }

  redact(text: string, older: readonly string[] = []): string {
    return redactSecrets(text, [...this.#secrets, ...older]);
  }

  async #provided(
    provide: () => unknown,
    signal: AbortSignal,
    refused: string | undefined,
  ): Promise<unknown> {
    const shared = this.#pending;
    const pending =
      shared !== undefined && (refused === undefined || shared.refused === refused)
        ? shared
        : { secret: Promise.resolve().then(provide), refused };
    this.#pending = pending;
    try {
      return await raceAbort(pending.secret, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new AuthenticationError(`The ${this.name} function failed. Nothing was sent.`, { cause });
    } finally {
      // Also after an abort: later attempts must not wait for a call that may never settle.
      if (this.#pending === pending) this.#pending = undefined;
    }
  }
}

/** As the service's description has it: there is no usable credential. */
export function missingCredential(): AuthenticationError {
  const value = "SAAS_MANAGEMENT_API_KEY";
  const text = `set apiKey (or ${value} with fromEnv), or authorization`;
  return new AuthenticationError(`No credential: ${text}.`, { advice: { option: "apiKey", value, text } });
}

/** The credential as one operation uses it: asked for with each attempt, and once more after it was refused. */
export class OperationCredential {
  readonly #credential: Credential;
  readonly #signal: AbortSignal;
  #sent: string | undefined;
  #replacement: string | undefined;
  #askedAgain = false;
  /** What this operation sent, however many other keys were sent since. */
  readonly #values: string[] = [];

  constructor(credential: Credential, signal: AbortSignal) {
    this.#credential = credential;
    this.#signal = signal;
  }

  async next(): Promise<string | undefined> {
    const replacement = this.#replacement;
    this.#replacement = undefined;
    this.#sent = undefined;
    this.#sent = replacement ?? (await this.#credential.authorization(this.#signal));
    if (this.#sent !== undefined) this.#values.push(this.#sent);
    return this.#sent;
  }

  redact(text: string): string {
    return this.#credential.redact(text, this.#values.flatMap(secretsIn));
  }

  /**
   * Asks for another value, at most once per operation, if the service refused that of the latest attempt.
   * @returns whether there is another one
   * @throws {AuthenticationError} the provider failed
   */
  async replaceAfter(failure: unknown): Promise<boolean> {
    const refused = this.#sent;
    if (!(failure instanceof AuthenticationError) || refused === undefined || this.#askedAgain) return false;
    this.#askedAgain = true;
    try {
      const value = await this.#credential.authorization(this.#signal, refused);
      if (value === refused) return false;
      this.#replacement = value;
      return true;
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      const { message, serverMessage, requestId } = failure;
      throw new AuthenticationError(
        `${message} The ${this.#credential.name} function failed to replace it.`,
        {
          cause: error.cause ?? error,
          serverMessage,
          requestId,
        },
      );
    }
  }
}
