/** A number as messages and previews write it. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}
