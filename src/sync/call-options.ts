import { InvalidInputError } from "../errors.js";
import { given } from "../given.js";

/**
 * The error for a call whose options are something else, such as an id; undefined where they are an object.
 * @param example The call as it should be.
 */
export function optionsRefusal(example: string, options: unknown): InvalidInputError | undefined {
  if (typeof options === "object" && options !== null) return undefined;
  return new InvalidInputError(`The options must be an object, as in ${example}, got ${given(options)}.`);
}
