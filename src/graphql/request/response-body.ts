import type { Failures } from "./failures.js";

/** How a body is read. */
interface BodyRules {
  readonly maxBytes: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  readonly failures: Failures;
}

const encoder = new TextEncoder();

/** Refuses what is not UTF-8; takes a byte order mark off. Without streaming no state is left between two bodies. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Makes a response one whose text is read within bounds, and rejects with a TransportError where it is too large or not
 * UTF-8. It is the same object: another one would copy the headers, which costs more than to read a small body.
 */
export function boundText(response: Response, rules: BodyRules): Response {
  const readText = response.text.bind(response);
  return Object.assign(response, { text: () => textOf(response, readText, rules) });
}

async function textOf(
  response: Response,
  readText: () => Promise<string>,
  rules: BodyRules,
): Promise<string> {
  const { maxBytes, failures } = rules;
  if (declaredBytes(response.headers) > maxBytes) {
    discardBody(response);
    throw failures.tooLarge(response, maxBytes);
  }
  // Some engines cannot read a body piece by piece, node-fetch has a stream of Node's, and null stands for an empty
  // one.
  if (typeof response.body?.getReader !== "function") {
    const text = await readText();
    // The engine has read it whole: its bytes can be told, no longer bounded. Each character is one or more.
    if (text.length > maxBytes || encoder.encode(text).byteLength > maxBytes)
      throw failures.tooLarge(response, maxBytes);
    return text;
  }
  const bytes = await bytesOf(response, response.body.getReader(), rules);
  try {
    return decoder.decode(bytes);
  } catch {
    throw failures.noResponse(response);
  }
}

/**
 * The size of a body that is told before it is read; 0 where it is not, or where that is the size of its compression.
 */
function declaredBytes(headers: Headers): number {
  const encoding = headers.get("content-encoding") ?? "identity";
  return encoding === "identity" ? Number(headers.get("content-length")) : 0;
}

/** Gives up a body that nobody reads: left alone it would keep its connection. */
export function discardBody({ body }: Response): void {
  if (typeof body?.cancel === "function") {
    body.cancel().catch(() => {});
  } else if (typeof body === "object" && body !== null && "destroy" in body) {
    // A stream of Node's.
    if (typeof body.destroy === "function") body.destroy();
  }
}

async function bytesOf(
  response: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { maxBytes, signal, failures }: BodyRules,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stop = () => {
    reader.cancel().catch(() => {});
  };
  // Node's fetch would end the body itself; a fetch of the user's may not.
  signal.addEventListener("abort", stop, { once: true });
  // It has fired before such an answer came.
  if (signal.aborted) stop();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return join(chunks, size);
      size += value.byteLength;
      if (size > maxBytes) throw failures.tooLarge(response, maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    // Left alone it would go on, and keep its connection.
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
