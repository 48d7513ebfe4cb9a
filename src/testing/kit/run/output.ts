import fs from "node:fs";
import { format } from "node:util";
import type { Logger } from "../../../core/hooks.js";
import { virtualTime } from "../time/context.js";
import { Patches } from "../time/install.js";

const CONSOLE = ["debug", "dir", "error", "info", "log", "table", "trace", "warn"] as const;

/** Captures output and logs during a run. The connector's own output isn't shown. */
export class Output {
  readonly lines: string[] = [];
  readonly #patches = new Patches();

  constructor() {
    const { console } = globalThis;
    for (const method of CONSOLE) {
      const print = console[method].bind(console);
      this.#patches.set(console, method, (...args: unknown[]) => {
        this.lines.push(format(...args));
        if (virtualTime() === undefined) print(...args);
      });
    }
    for (const stream of [process.stdout, process.stderr]) {
      const { write } = stream;
      this.#patches.set(stream, "write", (...args: unknown[]): unknown => {
        this.#note(args[0]);
        if (virtualTime() === undefined) return Reflect.apply(write, stream, args);
        const written = args.at(-1);
        if (typeof written === "function") process.nextTick(written);
        return true;
      });
    }
    this.#watchFiles();
  }

  /** Loggers such as pino bypass the streams and write to the file descriptors. */
  #watchFiles(): void {
    for (const name of ["write", "writeSync"] as const) {
      const write = fs[name];
      this.#patches.set(fs, name, (...args: unknown[]): unknown => {
        const [file, chunk] = args;
        if (file === 1 || file === 2) this.#note(chunk);
        return Reflect.apply(write, fs, args);
      });
    }
  }

  /** The logger for the SDK. */
  get logger(): Logger {
    const log = (message: string, details?: object) => void this.lines.push(format(message, details ?? ""));
    return { debug: log, info: log, warn: log, error: log };
  }

  end(): void {
    this.#patches.restore();
  }

  #note(chunk: unknown): void {
    if (typeof chunk === "string") this.lines.push(chunk);
    else if (chunk instanceof Uint8Array) this.lines.push(Buffer.from(chunk).toString());
  }
}

/** Catches unhandled errors. Replaces other listeners, because those would end the process or fail a test. */
export class Unhandled {
  readonly errors: unknown[] = [];
  readonly #restore: (() => void)[] = [];

  /** @param onException Receives uncaught exceptions. Rejections are only noted. */
  constructor(readonly onException: (error: unknown) => void) {
    this.#listen("unhandledRejection", (error) => this.errors.push(error));
    this.#listen("uncaughtException", (error) => this.caught(error));
  }

  /** Notes an exception that would otherwise have been uncaught. */
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
