import type { GraphQLErrorEntry } from "../../core/errors/index.js";

/** Most parts of a path that a message shows. */
const MAX_PATH = 20;

/**
 * Where the first entry says that it happened, for a message: `, at licenses.nodes.0`. Empty where that is not plain.
 */
export function placeOf(errors: readonly GraphQLErrorEntry[]): string {
  const place = errors[0] === undefined ? undefined : plainPlace(errors[0]);
  if (place === undefined) return "";
  return errors.length === 1 ? `, at ${place}` : `, the first at ${place}`;
}

function plainPlace({ path = [], locations = [] }: GraphQLErrorEntry): string | undefined {
  if (path.length > 0) return path.length <= MAX_PATH && path.every(isPlainPart) ? path.join(".") : undefined;
  const [first] = locations;
  return first === undefined ? undefined : `line ${first.line}, column ${first.column} of the document`;
}

function isPlainPart(part: string | number): boolean {
  return typeof part === "number" || /^[A-Za-z_]\w{0,63}$/.test(part);
}
