import { InvalidInputError } from "../core/errors/index.js";

/**
 * An error about one place of a source.
 * @param location such as `users.csv:1042`
 * @param problem continues a sentence about the place, without its full stop: `has 3 cells, but the header has 4`
 * @param advice what to do, as a sentence
 */
export function problemAt(location: string, problem: string, advice?: string): InvalidInputError {
  return new InvalidInputError(`${location} ${problem}.${advice === undefined ? "" : ` ${advice}`}`, {
    issues: [{ location, path: "", expected: problem }],
  });
}
