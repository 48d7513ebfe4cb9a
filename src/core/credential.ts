import { raceAbort } from "./abort.js";
import { AuthenticationError, ConfigurationError } from "./errors/index.js";
import { redactSecrets, secretsIn } from "./redact.js";

/** How requests are authenticated (service description, "Authentication"): exactly one of the two. */
export interface CredentialOptions {
  /**
   * The workspace API key, or a function that returns it, so that keys can rotate while the program runs.
   *
   * A function is asked once per attempt; attempts that need the key at the same time share one call. One client is one
   * workspace: the function must give the same key whoever makes the call, and not look who that is. Where the service
   * refuses the key it is asked once more, and if it then returns another one the attempt is repeated at once; a
   * mutation only where certainly nothing of it was executed. What it throws is the `cause` of an
   * `AuthenticationError`. The key alone, without `Bearer` or `ApiKey` before it, which is an `AuthenticationError`
   * too: the SDK adds what each API needs.
   * @default none: `authorization` is then required
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Platform-managed authentication: returns the whole `Authorization` value. Asked as a function of `apiKey` is.
   * @default none: `apiKey` is then required
   */
  readonly authorization?: (() => string | Promise<string>) | undefined;
}

/** A server can only echo what it was sent lately. */
const MAX_SECRETS = 64;

/** A call of the provider that is under way. */
interface Asking {
  readonly secret: Promise<unknown>;
  /** Value after whose refusal it was asked. */
  readonly refused: string | undefined;
}

/** Builds the `Authorization` value of each attempt. Keeps the secret where neither JSON nor inspection reaches it. */
export class Credential {
  /** Name of the option that it comes from. */
  readonly name: "apiKey" | "authorization";
  /** A key that is given as it is: there is nobody to ask for it. */
  readonly #constant: string | undefined;
  readonly #provide: () => string | Promise<string>;
  readonly #scheme: string;
  /** What was sent lately and must not be shown, the latest first. */
  #secrets: readonly string[] = [];
  #asking: Asking | undefined;

  /** @param scheme What stands before an API key: nothing for GraphQL, `"ApiKey "` for the Sync API. */
  constructor(options: CredentialOptions, scheme: "" | "ApiKey ") {
    const { apiKey, authorization } = options;
    if ((apiKey === undefined) === (authorization === undefined)) {
      throw new ConfigurationError(
        apiKey === undefined
          ? "No credential: set apiKey (or SAAS_MANAGEMENT_API_KEY with fromEnv), or authorization."
          : "Both apiKey and authorization are set: give exactly one of them.",
      );
    }
    if (authorization !== undefined && typeof authorization !== "function")
      throw new ConfigurationError("authorization must be a function that returns the Authorization value.");
    if (apiKey !== undefined && typeof apiKey !== "function" && typeof apiKey !== "string")
      throw new ConfigurationError("apiKey must be a string, or a function that returns one.");
    this.#constant = typeof apiKey === "string" ? apiKey : undefined;
    this.#provide = authorization ?? (typeof apiKey === "function" ? apiKey : () => apiKey ?? "");
    this.name = authorization === undefined ? "apiKey" : "authorization";
    this.#scheme = authorization === undefined ? scheme : "";
  }

  /**
   * The `Authorization` value for one attempt.
   * @param signal Ends the wait, with its reason: a provider may never settle.
   * @param refused Value that the service has refused: what was asked for before may be the same one.
   * @throws {AuthenticationError} the provider failed, or what it returned cannot be sent
   */
  async authorization(signal: AbortSignal, refused?: string): Promise<string> {
    const secret = this.#constant ?? (await this.#shared(signal, refused));
    if (typeof secret !== "string" || secret.trim() === "") {
      throw new AuthenticationError(`${this.name} is empty or not a string, so nothing was sent.`);
    }
    if (!/^[\x20-\x7e]+$/.test(secret)) {
      throw new AuthenticationError(
        `${this.name} has a line break or another character that a header cannot carry, so nothing was sent. Was it read from a file with its line end?`,
      );
    }
    const prefix = this.name === "apiKey" ? prefixOf(secret) : undefined;
    if (prefix !== undefined) {
      throw new AuthenticationError(
        `apiKey begins with ${prefix}: give the key alone, the SDK adds what each API needs. Nothing was sent. A whole Authorization value of a platform goes into authorization.`,
      );
    }
    this.#remember(secret);
    return this.#scheme + secret;
  }

  /**
   * Takes every secret sent lately out of a text that came from the server.
   * @param more Further secrets, which may have been sent longer ago.
   */
  redact(text: string, more: readonly string[] = []): string {
    return redactSecrets(text, [...this.#secrets, ...more]);
  }

  #remember(secret: string): void {
    if (this.#secrets[0] === secret) return;
    this.#secrets = [...new Set([...secretsIn(secret), ...this.#secrets])].slice(0, MAX_SECRETS);
  }

  /** What the provider returns; those who wait at the same time share one call of it. */
  async #shared(signal: AbortSignal, refused: string | undefined): Promise<unknown> {
    const underWay = this.#asking;
    const asking =
      underWay !== undefined && (refused === undefined || underWay.refused === refused)
        ? underWay
        : { secret: ask(this.#provide), refused };
    this.#asking = asking;
    try {
      return await raceAbort(asking.secret, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new AuthenticationError(`The ${this.name} function failed, so nothing was sent.`, { cause });
    } finally {
      // Also when the wait was given up: whoever comes later must not wait for a call that may never settle.
      if (this.#asking === asking) this.#asking = undefined;
    }
  }
}

/** The scheme that somebody put before a key: of other APIs, or of what the Sync API is sent. */
function prefixOf(key: string): "Bearer" | "ApiKey" | undefined {
  if (/^ *bearer /i.test(key)) return "Bearer";
  return /^ *apikey /i.test(key) ? "ApiKey" : undefined;
}

/** A promise of it even where it throws. */
async function ask(provide: () => unknown): Promise<unknown> {
  return provide();
}

/** The credential as one operation uses it: asked for with each attempt, and once more where it was refused. */
export class OperationCredential {
  readonly #credential: Credential;
  readonly #signal: AbortSignal;
  /** Value of the latest attempt; undefined where it did not come to sending one. */
  #sent: string | undefined;
  /** Value that replaces a refused one in the next attempt. */
  #replacement: string | undefined;
  #askedAgain = false;
  /** What this operation sent, however much others have sent since. */
  #secrets: readonly string[] = [];

  constructor(credential: Credential, signal: AbortSignal) {
    this.#credential = credential;
    this.#signal = signal;
  }

  /** The `Authorization` value for the next attempt. @throws {AuthenticationError} there is no usable one */
  async next(): Promise<string> {
    const replacement = this.#replacement;
    this.#replacement = undefined;
    this.#sent = undefined;
    this.#sent = replacement ?? (await this.#credential.authorization(this.#signal));
    this.#secrets = [...new Set([...secretsIn(this.#sent), ...this.#secrets])];
    return this.#sent;
  }

  /** Takes what was sent, by this operation or lately by others, out of a text that came from the server. */
  redact(text: string): string {
    return this.#credential.redact(text, this.#secrets);
  }

  /**
   * Asks once more, at most once an operation, where the service has refused the value of the latest attempt.
   * @returns whether there is another one now
   * @throws {AuthenticationError} the provider failed
   */
  async replaceAfter(failure: unknown): Promise<boolean> {
    const refused = this.#sent;
    const { name } = this.#credential;
    if (!(failure instanceof AuthenticationError) || refused === undefined || this.#askedAgain) return false;
    this.#askedAgain = true;
    try {
      const value = await this.#credential.authorization(this.#signal, refused);
      if (value === refused) return false;
      this.#replacement = value;
      return true;
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      throw new AuthenticationError(
        `${failure.message} Asked for another one, the ${name} function failed.`,
        {
          cause: error.cause ?? error,
          serverMessage: failure.serverMessage,
          requestId: failure.requestId,
        },
      );
    }
  }
}
