/** How many fields are named. */
const NAMED = 3;

/** What was expected of a record that is too large: it names its largest fields, and shows nothing of them. */
export function tooLarge(record: unknown, bytes: number, maxMessageBytes: number): string {
  return `a record that fits into a message of ${maxMessageBytes} bytes: alone it makes one of ${bytes} bytes${largestFields(record)}`;
}

/** The largest fields of a record by name and size. */
function largestFields(record: unknown): string {
  if (typeof record !== "object" || record === null) return "";
  const variant: unknown = Object.values(record).find((value) => typeof value === "object" && value !== null);
  if (typeof variant !== "object" || variant === null) return "";
  const sizes = Object.entries(variant).map(([name, value]) => ({ name, bytes: textBytes(value) }));
  const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, NAMED);
  return `; its largest fields are ${largest.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(", ")}`;
}

/** Number of bytes of all texts in a value. */
function textBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, entry]) => {
    return sum + (Array.isArray(value) ? 0 : Buffer.byteLength(key)) + textBytes(entry);
  }, 0);
}
