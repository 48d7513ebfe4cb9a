import { escapeControls } from "../../core/redact.js";
import { wrapped } from "../../sync/report-text.js";

const GAP = "  ";
const MAX_NAME = 40;
const MIN_NAME = 6;

/**
 * A table with its last two columns aligned to the right. The widest names are cut until a row fits; figures and dates
 * are never cut. If a row still doesn't fit, each row becomes a paragraph.
 * @param names The columns that may be cut.
 */
export function table(
  rows: readonly (readonly string[])[],
  names: readonly number[],
  width: number,
): readonly string[] {
  const [head = [], ...body] = rows.map((row) => row.map(escapeControls));
  const widths = head.map((title, i) => {
    const longest = Math.max(title.length, ...body.map((row) => row[i]?.length ?? 0));
    return names.includes(i) ? Math.min(MAX_NAME, longest) : longest;
  });
  const size = (i: number) => widths[i] ?? 0;
  const excess = () => widths.reduce((total, one) => total + one + GAP.length, -GAP.length) - width;
  for (let widest = 0; excess() > 0; widths[widest] = size(widest) - 1) {
    widest = names.reduce((one, other) => (size(other) > size(one) ? other : one), names[0] ?? 0);
    if (size(widest) <= MIN_NAME) return paragraphs(head, body, width);
  }
  const padded = (cell: string, i: number) => {
    const text = cell.length <= size(i) ? cell : `${cell.slice(0, size(i) - 1)}…`;
    return i < head.length - 2 ? text.padEnd(size(i)) : text.padStart(size(i));
  };
  const line = (row: readonly string[]) => row.map(padded).join(GAP).trimEnd();
  return [line(head), widths.map((one) => "─".repeat(one)).join(GAP), ...body.map(line)];
}

function paragraphs(
  head: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  return body.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...row.flatMap((cell, i) => (cell === "" ? [] : wrapped(`${head[i]}: ${cell}`, width))),
  ]);
}
