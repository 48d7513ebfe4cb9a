/** How the quickstart writes to the terminal. */
import Table from "cli-table3";

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A whole number with grouping: 12,345. */
export function count(value: number): string {
  return WHOLE.format(value);
}

/** An exact decimal string or number as money: EUR 1,234.50. Only digits are grouped: nothing is rounded. */
export function money(amount: string | number, currency: string): string {
  const [whole = "0", cents = ""] = String(amount).split(".");
  return `${currency} ${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents.padEnd(2, "0")}`;
}

export function heading(text: string): void {
  console.log(`\n${text}\n${"─".repeat(text.length)}`);
}

/** A table without lines; columns named in `right` are aligned to the right. */
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
  // Columns are padded to their width; the last one need not be.
  console.log(grid.toString().replace(/ +$/gm, ""));
}
