import { onAbort } from "../../core/abort.js";
import { type GraphQLResponseError, SaasManagementError } from "../../core/errors/index.js";

/** An HTTP response before its body is read. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
}

export interface GraphQLAnswer<Data> extends ResponseHead {
  /** The server's own id of the request, if it sent one. */
  readonly requestId: string | undefined;
  readonly data: Data | null;
  readonly errors: GraphQLResponseError["errors"];
}

/** Rules for reading a body. */
interface BodyRules {
  readonly maxBytes: number;
  /** Cancels the body on abort, because the caller's fetch might not do so. */
  readonly signal: AbortSignal;
  /** Creates the errors for unusable bodies. */
  readonly failures: {
    tooLarge(head: ResponseHead, maxBytes: number): unknown;
    network(error: unknown, head: ResponseHead): unknown;
    notGraphQL(head: ResponseHead): unknown;
  };
}

const JSON_TYPES = ["application/json", "application/graphql-response+json"];
const UTF8_CHARSETS = ["utf-8", "utf8", "us-ascii"];

/** Whether the content type is JSON in UTF-8; nothing else decides whether a body is parsed. */
export function isJson(headers: Headers): boolean {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(/\s*;\s*/);
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  return (
    JSON_TYPES.includes(type.trim()) &&
    (charset === undefined || UTF8_CHARSETS.includes(charset.replaceAll('"', "")))
  );
}

/** Browsers hide the status of a redirect that they aren't allowed to follow. */
export function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
}

/** Cancels an unread body, which would otherwise keep its connection busy. */
export function discardBody({ body }: Response): void {
  // node-fetch's streams have no `cancel`.
  if (typeof body?.cancel === "function") body.cancel().catch(() => {});
}

/** Reads a body, which must be UTF-8 and within the size limit. @throws {TransportError} otherwise */
export async function readText(
  response: Response,
  { maxBytes, signal, failures }: BodyRules,
): Promise<string> {
  if (declaredBytes(response.headers) > maxBytes) {
    discardBody(response);
    throw failures.tooLarge(response, maxBytes);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array): void => {
    size += chunk.byteLength;
    if (size > maxBytes) throw failures.tooLarge(response, maxBytes);
    chunks.push(chunk);
  };
  // node-fetch and some engines have no web stream; null means an empty body.
  const reader = typeof response.body?.getReader === "function" ? response.body.getReader() : undefined;
  const cancel = (): void => void reader?.cancel().catch(() => {});
  const unlink = onAbort(signal, cancel);
  try {
    if (reader === undefined) take(new TextEncoder().encode(await response.text()));
    else for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value);
    signal.throwIfAborted();
  } catch (error) {
    cancel();
    throw error instanceof SaasManagementError ? error : failures.network(error, response);
  } finally {
    unlink();
  }
  try {
    const bytes = new Uint8Array(size);
    let end = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, end);
      end += chunk.byteLength;
    }
    // Decodes all bytes at once, because decoding them in parts takes several times as long.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw failures.notGraphQL(response);
  }
}

/** The declared size; 0 if the response declares no size, or only its compressed size. */
function declaredBytes(headers: Headers): number {
  const encoding = headers.get("content-encoding") ?? "identity";
  return encoding === "identity" ? Number(headers.get("content-length")) : 0;
}
