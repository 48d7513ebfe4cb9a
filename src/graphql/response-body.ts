import type { Failures } from "./failures.js";

/** How a body is read. */
interface BodyRules {
  readonly maxBytes: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  readonly failures: Failures;
}

/** Refuses what is not UTF-8; takes a byte order mark off. Without streaming no state is left between two bodies. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A response whose text is read within bounds. */
export class BoundedResponse extends Response {
  readonly #source: Response;
  readonly #rules: BodyRules;

  constructor(source: Response, rules: BodyRules) {
    super(null, { status: source.status, headers: source.headers });
    this.#source = source;
    this.#rules = rules;
  }

  /**
   * The body as text.
   * @throws {TransportError} it is too large, or not UTF-8
   */
  override async text(): Promise<string> {
    const { maxBytes, failures } = this.#rules;
    const source = this.#source;
    // Every body is at least as large after decompression.
    if (Number(source.headers.get("content-length")) > maxBytes) {
      source.body?.cancel().catch(() => {});
      throw failures.tooLarge(source, maxBytes);
    }
    // Some engines cannot read a body piece by piece, and null stands for an empty one.
    if (!source.body) return this.#checked(await source.text());
    const bytes = await this.#read(source.body.getReader());
    try {
      return decoder.decode(bytes);
    } catch {
      throw failures.noResponse(source);
    }
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
    const { maxBytes, signal, failures } = this.#rules;
    const chunks: Uint8Array[] = [];
    let size = 0;
    const stop = () => {
      reader.cancel().catch(() => {});
    };
    // Node's fetch would end the body itself; a fetch of the user's may not.
    signal.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return join(chunks, size);
        size += value.byteLength;
        if (size > maxBytes) throw failures.tooLarge(this.#source, maxBytes);
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

  #checked(text: string): string {
    const { maxBytes, failures } = this.#rules;
    if (text.length > maxBytes) throw failures.tooLarge(this.#source, maxBytes);
    return text;
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
