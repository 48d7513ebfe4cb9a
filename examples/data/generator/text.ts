/** How one console writes its CSV files. */
export interface CsvStyle {
  readonly delimiter: "," | ";";
  readonly lineEnd: "\n" | "\r\n";
  /** Quote every cell, not only those that need it. */
  readonly quoteAll?: boolean;
  /** Begin with a byte order mark, as spreadsheet programs do. */
  readonly byteOrderMark?: boolean;
}

/** The text of a CSV file. */
export function csvText(rows: readonly (readonly string[])[], style: CsvStyle): string {
  const cell = (value: string) =>
    style.quoteAll || value.includes(style.delimiter) || /["\r\n]/.test(value)
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  const lines = rows.map((row) => row.map(cell).join(style.delimiter) + style.lineEnd);
  return (style.byteOrderMark ? "\uFEFF" : "") + lines.join("");
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ø: "oe",
  æ: "ae",
  å: "aa",
  ł: "l",
  đ: "d",
  ı: "i",
};

/** A name in an e-mail address: ASCII letters and hyphens. */
export function addressPart(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[ßäöüøæåłđı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFD")
    .replaceAll(/[^a-z-]/g, "");
}

/** Sorts by code units, independently of the locale. */
export function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
