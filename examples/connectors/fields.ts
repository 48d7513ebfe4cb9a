/** The fields that have a value: what the source does not tell is left out of the record. */
export function filled<T extends object>(fields: T): T {
  const result = { ...fields };
  for (const key of Object.keys(result)) {
    if (Reflect.get(result, key) === undefined) Reflect.deleteProperty(result, key);
  }
  return result;
}

/** The attributes that have a value; `undefined` if none has. */
export function attributes(
  values: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
