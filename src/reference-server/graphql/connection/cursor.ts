import { createHash } from "node:crypto";
import { ErrorCode, requestError } from "../request-error.js";
import type { Position, SortKey } from "./order.js";
import type { SortValue } from "./row.js";

/**
 * Cursors of one order of one connection. A cursor holds the position of its row and not an index, so that it stays
 * valid when rows come and go, its own row too.
 */
export class CursorCodec {
  readonly #order: string;
  readonly #values: number;

  constructor(connection: string, keys: readonly SortKey[]) {
    this.#order = fingerprint([connection, keys]).slice(0, 12);
    this.#values = keys.length;
  }

  encode(position: Position): string {
    return Buffer.from(JSON.stringify([this.#order, position.id, ...position.values])).toString("base64url");
  }

  /** @throws GraphQLError where the text is no cursor, or one of another order or connection. */
  decode(cursor: string, argument: "after" | "before"): Position {
    const [order, id, ...values] = parse(cursor);
    if (typeof order !== "string" || typeof id !== "string" || !values.every(isSortValue)) {
      throw invalid(argument, "is no cursor of this server");
    }
    if (order !== this.#order || values.length !== this.#values) {
      throw invalid(argument, "was made for another `order` or another field");
    }
    return { id, values };
  }
}

/** A short name of a value that can be written as JSON. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

function parse(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isSortValue(value: unknown): value is SortValue {
  return value === null || typeof value === "string" || typeof value === "number";
}

function invalid(argument: string, what: string): Error {
  const message = `The cursor in \`${argument}\` ${what}. Use the cursor of a page with the same \`order\`.`;
  return requestError(ErrorCode.invalidCursor, message, { argument });
}
