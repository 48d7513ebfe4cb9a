/** Accounts with these ids, or `u0`, `u1`, …, each of a bit more than `nameLength` bytes. */
export function accounts(which: number | readonly string[], nameLength = 100) {
  const all = typeof which === "number" ? ids(which) : which;
  return all.map((id) => ({ id, name: "n".repeat(nameLength) }));
}

/** Ids `u0`, `u1`, … */
export function ids(count: number, prefix = "u"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}
