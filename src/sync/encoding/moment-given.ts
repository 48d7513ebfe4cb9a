/** An ISO 8601 time without the offset that tells the moment; one with it; and a day alone. */
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;
const WHOLE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** From here on a number that counts from 1970 counts milliseconds: as seconds it would be after the year 5000. */
const LEAST_MS = 100_000_000_000;

/** What was given that is no moment, with what to do about the usual slips; undefined for whatever is none of them. */
export function momentGiven(value: unknown): string | undefined {
  if (typeof value === "number") return numberGiven(value);
  if (typeof value !== "string" || value === "") return undefined;
  if (WITHOUT_OFFSET.test(value)) return "a time without an offset: add Z or an offset such as +01:00";
  if (DAY.test(value)) return "a day without a time: add one, such as T00:00:00Z";
  return WHOLE.test(value) ? "a day or a time that does not exist" : "another string";
}

function numberGiven(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const [unit, ms] = Math.abs(value) < LEAST_MS ? ["seconds", "1000 * value"] : ["milliseconds", "value"];
  return `a number: where it counts ${unit} since 1970, give new Date(${ms})`;
}
