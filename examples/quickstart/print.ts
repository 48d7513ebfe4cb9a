import Table from "cli-table3";

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Formats an integer as 12,345. */
export function count(value: number): string {
  return WHOLE.format(value);
}

/** Formats an exact decimal as EUR 1,234.50, without rounding. */
export function money(amount: string | number, currency: string): string {
  const [whole = "0", cents = ""] = String(amount).split(".");
  return `${currency} ${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents.padEnd(2, "0")}`;
}

export function heading(text: string): void {
  console.log(`\n${text}\n${"─".repeat(text.length)}`);
}

/** Prints a table without lines. @param right columns that are aligned to the right */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): void {
  const grid = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (right.includes(column) ? "right" : "left")),
    chars: {
      mid: "",
      "left-mid": "",
      "mid-mid": "",
      "right-mid": "",
      top: "",
      "top-mid": "",
      "top-left": "",
      "top-right": "",
      bottom: "",
      "bottom-mid": "",
      "bottom-left": "",
      "bottom-right": "",
      left: "  ",
      right: "",
      middle: "  ",
    },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) grid.push([...row]);
  console.log(grid.toString().replace(/ +$/gm, ""));
}
