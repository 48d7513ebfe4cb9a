import { InvalidInputError } from "../core/errors/index.js";
import { describeType } from "../core/validate.js";

/**
 * Checks that the options of a call are an object, and nothing else, such as an id.
 * @param example The call as it should be.
 * @throws {InvalidInputError} they are something else
 */
export function requireOptions(example: string, options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  throw new InvalidInputError(
    `The options must be an object, as in ${example}, got ${describeType(options)}.`,
  );
}
