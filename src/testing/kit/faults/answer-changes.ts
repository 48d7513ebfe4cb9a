import { gzipSync } from "node:zlib";
import type { VendorAnswer, VendorRequest } from "../vendor/answer.js";
import type { View } from "./view.js";

/** What becomes of an answer; undefined if it has nothing to change. */
export type AnswerChange = (
  answer: VendorAnswer,
  request: VendorRequest,
  view: View,
) => VendorAnswer | undefined;

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = { "content-type": "application/json" };
const COMMA = /[,;\t|]/;
const FEWEST_LINES = 6;
const MESSAGES: Readonly<Record<number, string>> = {
  200: "Unavailable",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  429: "Too many requests",
  500: "Internal server error",
  503: "Service unavailable",
};

/** Another answer altogether: what described the old body goes. */
export function instead(status: number, body: string | Buffer, headers: Headers = JSON_TYPE): VendorAnswer {
  return { status, headers, body: Buffer.from(body) };
}

/** An error as vendors answer it. */
export function jsonError(status: number, message: string, headers: Headers = {}): VendorAnswer {
  const text = JSON.stringify({ error: { code: status, message } });
  return instead(status, text, { ...JSON_TYPE, ...headers });
}

export function error(status: number, headers?: Headers): AnswerChange {
  return () => jsonError(status, MESSAGES[status] ?? "Error", headers);
}

/** The error of a page with a date in Retry-After, by the vendor's clock. */
export const retryDate: AnswerChange = ({ headers }) => {
  const date = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date)) return undefined;
  return jsonError(429, "Too many requests", { "retry-after": new Date(date + 90_000).toUTCString() });
};

/** Another body with the same headers. */
export function body(change: (bytes: Buffer) => string | Buffer | undefined): AnswerChange {
  return ({ headers, body: bytes }) => {
    const changed = change(bytes);
    return changed === undefined ? undefined : instead(200, changed, headers);
  };
}

/** Another text of a file, made of its lines. */
export function file(change: (lines: readonly string[]) => string | Buffer | undefined): AnswerChange {
  return body((bytes) => {
    const lines = bytes.toString("utf8").split("\n");
    return lines.length < FEWEST_LINES ? undefined : change(lines);
  });
}

export const damagedGzip: AnswerChange = ({ headers, body: bytes }) => {
  const zipped = gzipSync(bytes);
  // Behind the header, in the compressed data.
  zipped.fill(0xff, Math.floor(zipped.length / 2), Math.floor(zipped.length / 2) + 8);
  return instead(200, zipped, { ...headers, "content-encoding": "gzip" });
};

export function clockBy(ms: number): AnswerChange {
  return (answer) => {
    const date = Date.parse(answer.headers["date"] ?? "");
    if (Number.isNaN(date)) return undefined;
    return { ...answer, headers: { ...answer.headers, date: new Date(date + ms).toUTCString() } };
  };
}

export const toItself: AnswerChange = (_, { url }) => {
  const { pathname, search } = new URL(url);
  return instead(307, "", { location: `${pathname}${search}` });
};

export const showsKey: AnswerChange = (_, { headers, url }) => {
  const header = headers["authorization"] ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["cookie"];
  return jsonError(401, `Incorrect API key provided: ${header?.replace(/^\w+ /, "") ?? url}`);
};

export const showsRequest: AnswerChange = (_, { headers }) => {
  const rows = Object.entries(headers).map(([name, value]) => `<tr><td>${name}</td><td>${value}</td></tr>`);
  const page = `<h1>Unhandled exception</h1><table>${rows.join("")}</table>`;
  return instead(500, page, { "content-type": "text/html" });
};

/** The recorded answer to a request of another kind. */
export const ofAnotherList: AnswerChange = (_answer, _request, { structure, recorded }) =>
  recorded(structure.listings[1]?.pages[0]?.exchange ?? structure.details[0]);

export const ofAnotherItem: AnswerChange = (_, { exchange }, { structure, recorded }) =>
  recorded(structure.details.find((other) => other !== exchange));

export function withoutLastColumn(lines: readonly string[]): string | undefined {
  const separator = COMMA.exec(lines[0] ?? "")?.[0];
  if (separator === undefined || lines.some((line) => line.includes('"'))) return undefined;
  return lines.map((line) => line.split(separator).slice(0, -1).join(separator)).join("\n");
}

export function withRenamedColumn([header = "", ...rows]: readonly string[]): string | undefined {
  if (!COMMA.test(header)) return undefined;
  return [header.replace(COMMA, (comma) => `_v2${comma}`), ...rows].join("\n");
}

/** Undefined for a text without characters beyond ASCII, or with some beyond ISO 8859-1. */
export function inLatin1(lines: readonly string[]): Buffer | undefined {
  const text = lines.join("\n");
  const bytes = Buffer.from(text, "latin1");
  return bytes.toString("latin1") === text && bytes.some((byte) => byte > 0x7f) ? bytes : undefined;
}
