import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";

const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;
const PAUSE_MS = 500;
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

export interface Vendor {
  /** Such as `https://api.vendor.example`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Another attempt may help. */
class TransientError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, retryAfterMs }: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Reads a JSON answer of the vendor, and tries again what may succeed: nothing here changes the vendor's data. Errors
 * name the path, and neither the key nor what the vendor said.
 * @throws the answer is not as `schema` says: an error page, or another version of the API
 */
export async function get<T>(
  vendor: Vendor,
  path: string,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const { success, data, error } = schema.safeParse(
    await withRetries(() => request(vendor, path, signal), signal),
  );
  if (success) return data;
  const [issue] = error.issues;
  throw new Error(
    `The vendor's answer to ${path} is not valid at ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

async function withRetries<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TransientError) || failures === ATTEMPTS) throw error;
      const pause = error.retryAfterMs ?? PAUSE_MS * 2 ** failures * (0.5 + Math.random() / 2);
      await sleep(pause, undefined, { signal });
    }
  }
}

async function request({ baseUrl, apiKey }: Vendor, path: string, signal: AbortSignal): Promise<unknown> {
  const response = await send(new URL(path, baseUrl), apiKey, signal);
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  if (TRANSIENT.has(status))
    throw new TransientError(`The vendor answered ${path} with status ${status}.`, {
      ...(seconds >= 0 && { retryAfterMs: seconds * 1000 }),
    });
  if (status !== 200) throw new Error(`The vendor answered ${path} with status ${status}.`);
  if (headers.get("content-type")?.includes("json") !== true)
    throw new Error(`The vendor answered ${path} with something that is not JSON.`);
  const text = await response.text().catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new TransientError(`The vendor's answer to ${path} broke off.`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch {
    // What JSON.parse says has a piece of the answer in it.
    throw new Error(`The vendor answered ${path} with invalid JSON.`);
  }
}

async function send(url: URL, apiKey: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { authorization: `Bearer ${apiKey}`, accept: "application/json" },
      // A redirect leads to a page for logging in, or takes the key elsewhere.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransientError(`The vendor did not answer ${url.pathname}.`, { cause });
  }
}
