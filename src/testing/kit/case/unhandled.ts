/** Catches errors that nobody handles, in place of the listeners that would end the process or a test for them. */
export class Unhandled {
  readonly errors: unknown[] = [];
  readonly #restore: (() => void)[] = [];

  /** @param onException Called with an exception that nobody caught; a rejection is only noted. */
  constructor(readonly onException: (error: unknown) => void) {
    this.#listen("unhandledRejection", (error) => this.errors.push(error));
    this.#listen("uncaughtException", (error) => this.caught(error));
  }

  /** Notes an exception that was caught where it would have been nobody's. */
  caught(error: unknown): void {
    this.errors.push(error);
    this.onException(error);
  }

  end(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }

  #listen(event: string, listener: (error: unknown) => void): void {
    const others = process.rawListeners(event);
    process.removeAllListeners(event);
    process.on(event, listener);
    this.#restore.push(() => {
      process.off(event, listener);
      for (const other of others) Reflect.apply(process.on, process, [event, other]);
    });
  }
}
