import { raceAbort } from "./abort.js";
import { AuthenticationError, ConfigurationError } from "./errors/index.js";
import type { GraphQLOptions } from "./options.js";
import { redactSecrets, secretsIn } from "./redact.js";

/** Number of secrets to remember: a server can be expected to echo only those that it received recently. */
const MAX_SECRETS = 64;

interface PendingCall {
  readonly secret: Promise<unknown>;
  readonly refused: string | undefined;
}

/** Builds the `Authorization` value for each attempt. JSON and inspection don't show the secret. */
export class Credential {
  readonly name: "apiKey" | "authorization";
  /** The Sync API's credential may be missing until it's used, because previews need none. */
  readonly #source: string | (() => unknown) | undefined;
  /** True if the SDK sends no credential because a proxy adds one. */
  readonly #isNone: boolean;
  readonly #scheme: string;
  /** Recently sent secrets, latest first. */
  #secrets: readonly string[] = [];
  #pending: PendingCall | undefined;

  /** @param scheme Prefix of an API key: none for GraphQL, `"ApiKey "` for the Sync API. */
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
   * Returns the `Authorization` value for one attempt; undefined if none is sent.
   * @param signal Ends the wait for a provider that may never settle.
   * @param refused Value that the service refused. A call that began before the refusal isn't shared, because it may
   *   return the same value.
   * @throws {AuthenticationError} the provider failed or returned a value that can't be sent, or there is no credential
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
        "contains a character that isn't allowed in a header. Nothing was sent. It may contain a trailing newline.",
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
      // Reset even after an abort: later attempts must not wait for a call that may never settle.
      if (this.#pending === pending) this.#pending = undefined;
    }
  }
}

/** The service description treats a missing credential as failed authentication, not as wrong configuration. */
export function missingCredential(): AuthenticationError {
  const value = "SAAS_MANAGEMENT_API_KEY";
  const text = `set apiKey (or ${value} with fromEnv), or authorization`;
  return new AuthenticationError(`No credential: ${text}.`, { advice: { option: "apiKey", value, text } });
}

/** One operation's use of the credential: fetched for each attempt, and once more after a refusal. */
export class OperationCredential {
  readonly #credential: Credential;
  readonly #signal: AbortSignal;
  #sent: string | undefined;
  #replacement: string | undefined;
  #askedAgain = false;
  /** The values that this operation sent, no matter how many other keys the client has sent since. */
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
   * If the service refused the latest attempt's value, asks for another one, at most once per operation.
   * @returns whether the new value differs from the refused one
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
        `${message} The ${this.#credential.name} function failed when asked for another value.`,
        {
          cause: error.cause ?? error,
          serverMessage,
          requestId,
        },
      );
    }
  }
}
