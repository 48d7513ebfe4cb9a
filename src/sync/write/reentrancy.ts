/**
 * Tells whether a call comes from within a source that the same batch is reading: a source that awaits a write of its
 * own batch waits for itself.
 *
 * Asynchronous context (AsyncLocalStorage) would tell it too, but makes every promise of the process about four times
 * as dear in Node before 24. V8 knows the chain of awaiting functions anyway, and shows it in a stack trace, so the
 * function that reads a source gets a name that no other function has.
 */
import { randomUUID } from "node:crypto";

/** Frames that are looked at: far more than a source is deep. */
const MAX_FRAMES = 200;

/** Recognizes calls from within what it has run. */
export class ReentrancyMark {
  readonly #name = `readSource_${randomUUID().replaceAll("-", "")}`;

  /** Runs `step`; while it runs, calls that it makes or awaits are recognized. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const named = {
      [this.#name]: async () => {
        return await step();
      },
    };
    return named[this.#name]?.() ?? step();
  }

  /** Whether the caller runs within `run`; false where this process shows no stacks. */
  isWithin(): boolean {
    try {
      const stack = plainStack();
      return typeof stack === "string" && stack.includes(this.#name);
    } catch {
      return false;
    }
  }
}

/** The stack of the caller, whatever the process does with stacks: its hooks are put aside meanwhile. */
function plainStack(): unknown {
  const restoreLimit = putAside("stackTraceLimit", MAX_FRAMES);
  try {
    const restoreHook = putAside("prepareStackTrace", undefined);
    try {
      return new Error().stack;
    } finally {
      restoreHook();
    }
  } finally {
    restoreLimit();
  }
}

/** Where `Error` is frozen, nothing is put aside. */
function putAside(name: "stackTraceLimit" | "prepareStackTrace", value: unknown): () => void {
  const isThere = Object.hasOwn(Error, name);
  const before: unknown = Reflect.get(Error, name);
  Reflect.set(Error, name, value);
  return () => {
    if (isThere) Reflect.set(Error, name, before);
    else Reflect.deleteProperty(Error, name);
  };
}
