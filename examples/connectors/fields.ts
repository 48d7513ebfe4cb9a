/** The attributes that have a value; undefined if none has. */
export function attributes(
  values: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
