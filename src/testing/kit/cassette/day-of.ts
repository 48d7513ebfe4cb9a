import { InvalidInputError } from "../../../core/errors/index.js";
import type { CassetteDay } from "./cassette.js";
import { pathOf, readCassette } from "./cassette-file.js";

/**
 * Reads one day of a cassette.
 * @param day `YYYY-MM-DD`; the last one if it is undefined.
 * @throws {InvalidInputError} the cassette does not have the day
 */
export async function readDay(
  caller: string,
  file: string | URL,
  day: string | undefined,
): Promise<CassetteDay> {
  const { days } = await readCassette(file);
  const found = day === undefined ? days.at(-1) : days.find((one) => one.day === day);
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `${caller}: the cassette ${pathOf(file)} does not have this day. Its days: ${days.map((one) => one.day).join(", ")}.`,
  );
}
