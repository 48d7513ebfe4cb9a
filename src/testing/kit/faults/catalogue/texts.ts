/** Text files: CSV, and others that are read by lines. */
import { gzipSync } from "node:zlib";
import { bytesOf } from "../../cassette/body.js";
import type { Exchange } from "../../cassette/cassette.js";
import { answering, type FaultKind, instead } from "../kind.js";
import { spotOf, type View } from "../view.js";

const FEWEST_LINES = 6;
const COMMA = /[,;\t|]/;

interface TextFile {
  readonly exchange: number;
  readonly lines: readonly string[];
}

function textFile({ recording, structure, main }: View): TextFile | undefined {
  if (main !== undefined) return undefined;
  for (const exchange of structure.texts) {
    const lines = textOf(recording[exchange]).split("\n");
    if (lines.length >= FEWEST_LINES) return { exchange, lines };
  }
  return undefined;
}

function textOf(exchange: Exchange | undefined): string {
  return exchange === undefined ? "" : bytesOf(exchange.response.body).toString("utf8");
}

function text(
  name: string,
  summary: string,
  change: (lines: readonly string[]) => string | Buffer | undefined,
  seenByGuardOnly = false,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const file = textFile(view);
      const body = file === undefined ? undefined : change(file.lines);
      if (file === undefined || body === undefined) return undefined;
      const plan = answering(view, spotOf(view.recording, file.exchange), "always", ({ headers }) =>
        instead(200, body, headers),
      );
      return { ...plan, seenByGuardOnly };
    },
  };
}

function withHeader(lines: readonly string[], change: (cells: readonly string[]) => readonly string[]) {
  const [header = "", ...rows] = lines;
  const separator = COMMA.exec(header)?.[0];
  if (separator === undefined) return undefined;
  return [change(header.split(separator)).join(separator), ...rows].join("\n");
}

/** Whether a text has characters beyond ASCII, all of them in ISO 8859-1. */
function isLatin1(lines: readonly string[]): boolean {
  const text = lines.join("\n");
  const bytes = Buffer.from(text, "latin1");
  return bytes.toString("latin1") === text && bytes.some((byte) => byte > 0x7f);
}

export const TEXTS: readonly FaultKind[] = [
  text("text-header-only", "a file has its header and no rows", ([header = ""]) => `${header}\n`, true),
  text("text-cut-in-row", "a file ends in the middle of a row, at half of its rows", (lines) => {
    const kept = lines.slice(0, Math.ceil(lines.length / 2));
    const last = kept.pop() ?? "";
    return [...kept, last.slice(0, Math.ceil(last.length / 2))].join("\n");
  }),
  text(
    "text-half-of-rows",
    "a file has the first half of its rows",
    (lines) => `${lines.slice(0, Math.ceil(lines.length / 2)).join("\n")}\n`,
    true,
  ),
  text("text-column-renamed", "the first column of a file has another name", (lines) =>
    withHeader(lines, ([first = "", ...others]) => [`${first}_v2`, ...others]),
  ),
  text("text-column-missing", "a file lacks its last column", (lines) => {
    const separator = COMMA.exec(lines[0] ?? "")?.[0];
    if (separator === undefined || lines.some((line) => line.includes('"'))) return undefined;
    return lines.map((line) => line.split(separator).slice(0, -1).join(separator)).join("\n");
  }),
  text("text-separator-changed", "a file has semicolons instead of commas", (lines) => {
    const joined = lines.join("\n");
    return joined.includes(",") && !joined.includes(";") && !joined.includes('"')
      ? joined.replaceAll(",", ";")
      : undefined;
  }),
  text("text-in-latin-1", "a file is in ISO 8859-1, and says that it is in UTF-8", (lines) =>
    isLatin1(lines) ? Buffer.from(lines.join("\n"), "latin1") : undefined,
  ),
  text("text-in-utf-16", "a file is in UTF-16", (lines) =>
    Buffer.from(`\ufeff${lines.join("\n")}`, "utf16le"),
  ),
  text("text-zipped", "a file comes as a gzip file", (lines) => gzipSync(lines.join("\n"))),
];
