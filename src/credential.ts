import { AuthenticationError, ConfigurationError } from "./errors.js";

/** How requests are authenticated: exactly one of the two. */
export interface CredentialOptions {
  /**
   * The workspace API key, or a function that returns it. A function is asked once per attempt, so that keys can
   * rotate while the program runs.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Platform-managed authentication: returns the whole `Authorization` value. Asked once per attempt. */
  readonly authorization?: (() => string | Promise<string>) | undefined;
}

/** Builds the `Authorization` value of each attempt. Keeps the secret where neither JSON nor inspection reaches it. */
export class Credential {
  readonly #provide: () => string | Promise<string>;
  readonly #whole: boolean;
  readonly #scheme: string;
  readonly #seen = new Set<string>();

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
    this.#provide = authorization ?? (typeof apiKey === "function" ? apiKey : () => apiKey ?? "");
    this.#whole = authorization !== undefined;
    this.#scheme = scheme;
  }

  /**
   * The `Authorization` value for one attempt.
   * @throws {AuthenticationError} the provider failed, or what it returned cannot be sent
   */
  async authorization(): Promise<string> {
    const name = this.#whole ? "authorization" : "apiKey";
    let secret: unknown;
    try {
      secret = await this.#provide();
    } catch (cause) {
      throw new AuthenticationError(`The ${name} function failed, so nothing was sent.`, { cause });
    }
    if (typeof secret !== "string" || secret === "") {
      throw new AuthenticationError(`${name} is empty or not a string, so nothing was sent.`);
    }
    if (!/^[\x20-\x7e]+$/.test(secret)) {
      throw new AuthenticationError(
        `${name} has a line break or another character that a header cannot carry, so nothing was sent. Was it read from a file with its line end?`,
      );
    }
    // A handful is enough: a server can only echo what it was sent lately.
    if (this.#seen.size > 8) this.#seen.clear();
    this.#seen.add(secret);
    return this.#whole ? secret : this.#scheme + secret;
  }

  /** Takes every secret sent lately out of a text that came from the server. */
  redact(text: string): string {
    let clean = text;
    for (const secret of this.#seen) clean = clean.replaceAll(secret, "[redacted]");
    return clean;
  }
}
