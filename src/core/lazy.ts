import { raceAbort } from "./abort.js";
import { ConfigurationError, SaasManagementError } from "./errors/index.js";

/**
 * Something that is loaded when it is first needed. After that nothing but a microtask passes, where an `import()` of
 * its own takes turns of the event loop; what failed to load is tried again with the next call.
 */
export class Lazy<T> {
  readonly #what: string;
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #loaded: T | undefined;

  /** @param what What it is, as the beginning of a sentence: `What GraphQL requests need`. */
  constructor(what: string, load: () => Promise<T>) {
    this.#what = what;
    this.#load = load;
  }

  /** What is loaded already; undefined before that. Spares each call the wait. */
  get loaded(): T | undefined {
    return this.#loaded;
  }

  /**
   * Loads it, or waits for who is loading it, until one of the signals fires: a file may never come.
   * @throws {ConfigurationError} it cannot be loaded
   */
  async load(...signals: readonly (AbortSignal | undefined)[]): Promise<T> {
    this.#loading ??= this.#begin();
    return raceAbort(
      this.#loading.catch((error: unknown) => {
        throw this.#notLoaded(error);
      }),
      ...signals.filter((signal) => signal !== undefined),
    );
  }

  async #begin(): Promise<T> {
    try {
      this.#loaded = await this.#load();
      return this.#loaded;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  /** Each call has an error of its own: its caller's place is added to its stack. */
  #notLoaded(cause: unknown): unknown {
    if (cause instanceof SaasManagementError) return cause;
    return new ConfigurationError(
      `${this.#what} could not be loaded: the installation of the package is broken, or a bundler has left a part of it out. Install it anew, or see what the bundler has written. The next call tries again.`,
      { cause },
    );
  }
}
