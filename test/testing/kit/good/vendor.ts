import { z } from "zod";
import { ORIGIN } from "../recordings/people.js";

/** What a user must look like; one that does not is an error, not a user without a name. */
export const USER = z.object({
  id: z.union([z.string().min(1), z.int()]).transform(String),
  displayName: z.string().min(1),
  email: z.email(),
  active: z.boolean(),
  seat: z.int(),
  updatedAt: z.iso.datetime(),
});

export type User = z.output<typeof USER>;

export function accountOf({ id, displayName, email, active, seat }: User) {
  return { id, name: displayName, email, active, username: `seat-${seat}` };
}

const ATTEMPTS = 4;
const TRANSIENT = [408, 429, 500, 502, 503, 504];

interface Asked {
  readonly method?: "GET" | "POST";
  readonly key?: string;
  readonly json?: unknown;
  readonly form?: URLSearchParams;
}

/** Asks again for what may pass; anything but a 200 is an error, and its body is not in the message. */
export async function ask(path: string, asked: Asked = {}): Promise<{ text: string; headers: Headers }> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await attemptOf(path, asked, attempt);
    if (response !== undefined) {
      if (response.status === 200) {
        const text = await textOf(response, attempt);
        if (text !== undefined) return { text, headers: response.headers };
      } else {
        await response.body?.cancel();
        if (!mayPass(response) || attempt === ATTEMPTS)
          throw new Error(`${path.split("?")[0]}: the vendor answered ${response.status}.`);
      }
    }
    await wait(response?.headers.get("retry-after"), attempt);
  }
}

async function attemptOf(
  path: string,
  { method = "GET", key = "key-of-the-good-connector", json, form }: Asked,
  attempt: number,
): Promise<Response | undefined> {
  const body = json === undefined ? form : JSON.stringify(json);
  try {
    return await fetch(new URL(path, ORIGIN), {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${key}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    return undefined;
  }
}

async function textOf(response: Response, attempt: number): Promise<string | undefined> {
  let bytes: ArrayBuffer;
  try {
    bytes = await response.arrayBuffer();
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    return undefined;
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function mayPass({ status, headers }: Response): boolean {
  return TRANSIENT.includes(status) || (status === 403 && headers.has("retry-after"));
}

async function wait(retryAfter: string | null | undefined, attempt: number): Promise<void> {
  const seconds = Number(retryAfter ?? 2 ** attempt);
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  await new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));
}
