import type { Exchange, RecordedRequest } from "../cassette/cassette.js";
import { keysOf } from "./request-keys.js";

/** Finds the recorded exchange that answers a request. Exchanges of one request answer in turn, and the last one repeats. */
export class Matcher {
  readonly #exact = new Map<string, number[]>();
  readonly #volatile = new Map<string, number[]>();
  readonly #ids = new Map<string, { readonly key: string; readonly indexes: number[] } | "ambiguous">();
  readonly #asked = new Map<number, number>();

  constructor(readonly exchanges: readonly Exchange[]) {
    for (const [index, { request }] of exchanges.entries()) {
      const { exact, volatile: key, ids: wide } = keysOf(request);
      append(this.#exact, exact, index);
      append(this.#volatile, key, index);
      const before = this.#ids.get(wide);
      if (before === undefined) this.#ids.set(wide, { key, indexes: [index] });
      else if (before !== "ambiguous" && before.key === key) before.indexes.push(index);
      else this.#ids.set(wide, "ambiguous");
    }
  }

  /** @returns how often the exchange answered before; undefined if nothing recorded answers the request */
  next(
    request: RecordedRequest,
  ): { readonly exchange: Exchange; readonly index: number; readonly repeat: number } | undefined {
    const index = this.#find(request);
    const exchange = index === undefined ? undefined : this.exchanges[index];
    if (index === undefined || exchange === undefined) return undefined;
    const repeat = this.#asked.get(index) ?? 0;
    this.#asked.set(index, repeat + 1);
    return { exchange, index, repeat };
  }

  #find(request: RecordedRequest): number | undefined {
    const keys = keysOf(request);
    const indexes = this.#exact.get(keys.exact) ?? this.#volatile.get(keys.volatile);
    if (indexes !== undefined) return this.#turn(indexes);
    const ids = this.#ids.get(keys.ids);
    return ids === undefined || ids === "ambiguous" ? undefined : this.#turn(ids.indexes);
  }

  #turn(indexes: readonly number[]): number | undefined {
    return indexes.find((index) => !this.#asked.has(index)) ?? indexes.at(-1);
  }
}

function append(map: Map<string, number[]>, key: string, index: number): void {
  const indexes = map.get(key);
  if (indexes === undefined) map.set(key, [index]);
  else indexes.push(index);
}
