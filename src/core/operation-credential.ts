import { type Credential, secretsIn } from "./credential.js";
import { AuthenticationError } from "./errors/index.js";

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
