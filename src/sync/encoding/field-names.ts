import { types } from "node:util";

/** The fields of an object, before anything is known of their values. */
export type Fields = Readonly<Record<string, unknown>>;

/** The names that a message has. */
export class FieldNames {
  readonly #names: ReadonlySet<string>;
  /** The names of the object before, in their order: objects of one source are mostly alike. */
  readonly #seen: string[] = [];

  constructor(...names: readonly string[]) {
    this.#names = new Set(names);
  }

  /**
   * Whether a value is an object with no other field than these, its own or inherited.
   *
   * A proxy is not: what it says of one field may not be true of the next, so it is left to the schemas.
   */
  areAllOf(value: unknown): value is Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value) || types.isProxy(value))
      return false;
    let position = 0;
    for (const name in value) {
      if (this.#seen[position] !== name) {
        if (!this.#names.has(name)) return false;
        this.#seen[position] = name;
      }
      position += 1;
    }
    return true;
  }
}
