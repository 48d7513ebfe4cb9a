/** The encodings of text files, and the first bytes that identify other kinds of files. */
import { oneOf } from "../core/validate.js";

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export const ENCODING = oneOf(...ENCODINGS);

export type TextEncoding = (typeof ENCODINGS)[number];

interface FileKind {
  /** The first bytes of such a file, each written as a character. */
  readonly begins: readonly string[];
  readonly is: string;
  readonly advice: string;
  /** The encoding of such a file if it is text. */
  readonly encoding?: TextEncoding;
}

const UNPACK = "Decompress it first.";
const ANSWERED = "The vendor may have sent an error page or a login page.";
const AS_CSV = "Save the sheet as CSV UTF-8, or read it with a library for Excel files.";

const KINDS: readonly FileKind[] = [
  { begins: ["\x1f\x8b"], is: "is compressed with gzip", advice: UNPACK },
  { begins: ["\x28\xb5\x2f\xfd"], is: "is compressed with zstd", advice: UNPACK },
  { begins: ["PK\x03\x04", "PK\x05\x06"], is: "is a ZIP archive or an Excel file (XLSX)", advice: AS_CSV },
  { begins: ["\xd0\xcf\x11\xe0"], is: "is an old Excel file (XLS)", advice: AS_CSV },
  { begins: ["%pdf-"], is: "is a PDF", advice: "Export the data as CSV." },
  { begins: ["\xff\xfe"], is: "is in UTF-16", advice: 'Set encoding: "utf-16le".', encoding: "utf-16le" },
  { begins: ["\xfe\xff"], is: "is in UTF-16BE", advice: 'Set encoding: "utf-16be".', encoding: "utf-16be" },
  { begins: ["<!doctype", "<html", "<head", "<body", "<?xml"], is: "is HTML or XML", advice: ANSWERED },
];

/** Details of an error whose message advises, for example, `encoding: "utf-16le"`. */
export function encodingAdvice(value: TextEncoding | undefined) {
  return value && { advice: { option: "encoding", value, text: `encoding: "${value}"` } };
}

const HEAD_BYTES = 256;

/** Recognizes other kinds of files; undefined if the bytes may be text in the given encoding. */
export function otherKind(bytes: Uint8Array, encoding: TextEncoding): FileKind | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const text = head.replace(/^\xef\xbb\xbf/, "").trimStart();
  const starts = [head, text.toLowerCase()];
  return KINDS.find(
    (kind) =>
      kind.encoding !== encoding &&
      kind.begins.some((begin) => starts.some((start) => start.startsWith(begin))),
  );
}
