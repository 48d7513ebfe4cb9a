import { isObject } from "../../../core/validate.js";

/** The values of a record by the path of their field, such as `email` or `microsoft.displayName`, each as JSON. */
export function fieldsOf(record: object, prefix = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(record)) {
    if (isEmpty(value)) continue;
    const path = `${prefix}${name}`;
    if (isObject(value) && !Array.isArray(value))
      for (const [inner, text] of fieldsOf(value, `${path}.`)) fields.set(inner, text);
    else fields.set(path, JSON.stringify(value));
  }
  return fields;
}

/** An empty string is no value either: a connector writes one for a field that it did not find. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

/** Equal for records that differ in the field of their id at most. */
export function contentOf(record: object, idField: string | undefined): string {
  const fields = [...fieldsOf(record)].filter(([path]) => path.split(".").at(-1) !== idField);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fields of a record that another version of it lacks, and fields that it has with other values. */
export function differingFields(
  expected: object,
  actual: object,
): { readonly emptied: readonly string[]; readonly changed: readonly string[] } {
  const [before, now] = [fieldsOf(expected), fieldsOf(actual)];
  const emptied = [...before.keys()].filter((path) => !now.has(path));
  const changed = [...now].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
  return { emptied, changed };
}
