import type { FieldType } from "./field-types.js";

export interface Refusal {
  readonly expected: string;
}

const YES = new Set(["true", "yes", "1"]);
const NO = new Set(["false", "no", "0"]);

/** Converts a cell. An empty one is undefined. @returns what was expected, if it does not fit; never the cell */
export function convert(cell: string, type: FieldType): { readonly value: unknown } | Refusal {
  if (cell === "") return { value: undefined };
  switch (type.kind) {
    case "boolean": {
      const folded = cell.trim().toLowerCase();
      if (YES.has(folded)) return { value: true };
      return NO.has(folded) ? { value: false } : { expected: "true or false (also yes, no, 1, 0)" };
    }
    case "integer":
    case "bigint": {
      const digits = cell.trim();
      if (!/^-?\d{1,19}$/.test(digits)) return { expected: "a whole number" };
      return { value: type.kind === "bigint" ? BigInt(digits) : Number(digits) };
    }
    case "enum": {
      const folded = cell.trim().toLowerCase();
      const literal = type.literals.find((one) => one.toLowerCase() === folded);
      return literal === undefined ? { expected: `one of ${type.literals.join(", ")}` } : { value: literal };
    }
    case "strings":
      // Written as `a;b`.
      return {
        value: cell
          .split(";")
          .map((item) => item.trim())
          .filter((item) => item !== ""),
      };
    case "map":
      return { expected: "an object: name a column of each entry, such as attributes.tier" };
    case "string":
      return { value: cell };
  }
}
