/** Deeper parts of a value are left out. */
const MAX_DEPTH = 8;

/** Values of one answer; what is beyond is left out: each text of it would be searched for the credential. */
const MAX_VALUES = 50_000;

/** Makes the copies of what an answer's errors carry: with the credential taken out of every text and every key. */
export class RedactedCopies {
  /** Takes the credential out of a text that came from the server. */
  readonly redact: (text: string) => string;
  #left = MAX_VALUES;

  constructor(redact: (text: string) => string) {
    this.redact = redact;
  }

  /** A copy of a value of JSON. */
  of(value: unknown, depth = MAX_DEPTH): unknown {
    this.#left -= 1;
    if (typeof value === "string") return this.redact(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth === 0) return undefined;
    if (Array.isArray(value)) return this.#first(value).map((item) => this.of(item, depth - 1));
    return Object.fromEntries(
      this.#first(Object.entries(value)).map(([key, item]) => [this.redact(key), this.of(item, depth - 1)]),
    );
  }

  /** A copy of an object, which keeps its type. */
  ofObject<T extends object>(value: T): T {
    const copy = { ...value };
    for (const [key, item] of Object.entries(value)) {
      Reflect.deleteProperty(copy, key);
      if (this.#left <= 0) continue;
      // Not assigned: a key of the server's may be that of a setter.
      Object.defineProperty(copy, this.redact(key), {
        value: this.of(item),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }

  #first<Item>(items: readonly Item[]): readonly Item[] {
    return items.slice(0, Math.max(0, this.#left));
  }
}
