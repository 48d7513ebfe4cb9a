import { type Clock, systemClock } from "../../core/clock.js";
import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import { escapeControls } from "../../core/redact.js";
import { isObject } from "../../core/validate.js";
import type { Store } from "./store.js";

/** How long a store may take for each call and each piece of a value. */
export interface StoreLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The defaults of a client, for the command line, which opens a ledger without a client. */
export const DEFAULT_LIMITS: StoreLimits = { clock: systemClock, timeoutMs: 100_000 };

/** Too many open files, a disk or network drive that hiccups, a broken connection: trying again later may help. */
const PASSING = new Set(
  `EAGAIN EBUSY ECONNABORTED ECONNREFUSED ECONNRESET EAI_AGAIN EHOSTDOWN EHOSTUNREACH EINTR EIO EMFILE ENETDOWN
  ENETRESET ENETUNREACH ENFILE ENOBUFS ENOMEM ENOTCONN EPIPE EREMOTEIO ESTALE ETIMEDOUT`.split(/\s+/),
);
/** A file system's answers to a call that it doesn't support. */
const UNSUPPORTED = new Set(["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EMLINK", "EXDEV"]);
const LACKS: Readonly<Record<string, string>> = { link: "has no hard links", fsync: "cannot sync files" };

/** A store whose calls have a time limit, and whose errors say what failed. */
export interface BoundedStore extends Omit<Store, "list"> {
  /** Lists the keys that start with `prefix`. */
  keys(prefix: string): Promise<readonly string[]>;
}

/**
 * Gives each call of a store a time limit. Its errors say what failed and why. They mean that a value is out of reach,
 * never that it's damaged: only decoding a value shows that.
 * @param location The ledger's name in messages.
 */
export function boundedStore(store: Store, location: string, limits: StoreLimits): BoundedStore {
  const call = async <T>(what: "read" | "written", run: (timer: Timer) => Promise<T>): Promise<T> => {
    try {
      return await within(limits, run);
    } catch (error) {
      throw outOfReach(location, what, error);
    }
  };
  async function* bounded(value: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let pieces: AsyncIterator<Uint8Array> | undefined;
    let isOver = true;
    const next = async () => {
      pieces ??= value[Symbol.asyncIterator]();
      return pieces.next();
    };
    try {
      for (;;) {
        const { done, value: piece } = await call("read", next);
        if (done === true) return;
        isOver = false;
        yield piece;
        isOver = true;
      }
    } finally {
      // The caller may stop before the end.
      if (!isOver) await within(limits, async () => pieces?.return?.()).catch(() => {});
    }
  }
  return {
    putIfAbsent: (key, value) => call("written", (timer) => store.putIfAbsent(key, timed(value, timer))),
    get: async (key) => {
      const value = await call("read", () => store.get(key));
      return value && bounded(value);
    },
    keys: (prefix) =>
      call("read", async (timer) => {
        const keys: string[] = [];
        for await (const key of store.list(prefix)) {
          timer.start();
          // A store may list more than it was asked for.
          if (key.startsWith(prefix)) keys.push(key);
        }
        return keys;
      }),
    delete: (key) => call("written", () => store.delete(key)),
  };
}

interface Timer {
  /** Restarts the time limit. @throws {SlowStoreError} the time was already up */
  start(): void;
  stop(): void;
}

/** A value on its way to a store. The time that the store waits for the value doesn't count. */
async function* timed(value: AsyncIterable<Uint8Array>, timer: Timer): AsyncIterable<Uint8Array> {
  timer.stop();
  try {
    for await (const piece of value) {
      timer.start();
      yield piece;
      timer.stop();
    }
  } finally {
    // The store has to answer even if the value failed.
    timer.start();
  }
}

/** Waits for a call to a store until the call's time is up. */
function within<T>({ clock, timeoutMs }: StoreLimits, call: (timer: Timer) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let error: SlowStoreError | undefined;
    let stop = () => {};
    const end = () => {
      error = new SlowStoreError(`it did not answer within ${timeoutMs / 1000} s`);
      reject(error);
    };
    const start = () => {
      // A store that has taken too long receives nothing more.
      if (error !== undefined) throw error;
      stop();
      stop = clock.after(timeoutMs, end);
    };
    start();
    // Stores may throw before they return a promise.
    const answer = (async () => call({ start, stop: () => stop() }))();
    answer.then(resolve, reject).finally(() => stop());
  });
}

class SlowStoreError extends Error {
  readonly retryable = true;
}

/** Fields that a store's error may have. */
type Facts = Partial<Record<"code" | "syscall" | "retryable", unknown>>;

function outOfReach(location: string, what: "read" | "written", cause: unknown): SaasManagementError {
  if (cause instanceof SaasManagementError) return cause;
  const { code, syscall, retryable }: Facts = isObject(cause) ? cause : {};
  const lacks = UNSUPPORTED.has(String(code)) ? LACKS[String(syscall)] : undefined;
  const why = cause instanceof Error ? escapeControls(cause.message) : "no reason was given";
  const told =
    lacks === undefined
      ? why
      : `this file system ${lacks}. Use a directory on a local disk, or postgresLedger`;
  return new ConfigurationError(
    `The ledger (${location}) could not be ${what}: ${told.replace(/\.$/, "")}.`,
    {
      cause,
      retryable: retryable === true || PASSING.has(String(code)),
    },
  );
}
