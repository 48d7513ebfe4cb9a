/**
 * Something that is loaded when it is first needed. After that nothing but a microtask passes, where an `import()` of
 * its own takes turns of the event loop; what failed to load is tried again with the next call.
 */
export class Lazy<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #loaded: T | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** What is loaded already; undefined before that. Spares each call the wait. */
  get loaded(): T | undefined {
    return this.#loaded;
  }

  /** Loads it, or waits for who is loading it. */
  async load(): Promise<T> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    this.#loaded = await this.#loading;
    return this.#loaded;
  }
}
