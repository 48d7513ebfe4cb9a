/**
 * A connector's requests to its vendor and the answers. All strings are fakes, except those in `kept` and plain
 * ones (numbers, booleans and times). Values that come from the connector itself are `own`.
 */
export interface Cassette {
  readonly version: 2;
  /** Salt for the digests of the connector's own values. */
  readonly salt: string;
  /** Strings kept as they are, because they repeat like an enum's values or the author listed their field in `keep`. */
  readonly kept: readonly string[];
  /** One run, or two runs, of which the second starts from the watermarks of the first. */
  readonly runs: readonly RecordedRun[];
}

export interface RecordedRun {
  /** When the run started, in ISO 8601. The clock of a playback starts at this time. */
  readonly startedAt: string;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
  /** The cassette's salt and kept strings. */
  readonly salt?: string | undefined;
  readonly kept?: readonly string[] | undefined;
}

export interface Exchange {
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

export interface RecordedRequest {
  readonly method: string;
  /** The absolute address at the vendor. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RecordedBody | undefined;
}

export interface RecordedResponse {
  readonly status: number;
  /** Names are in lower case. Several `set-cookie` headers become one value, with a line for each. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RecordedBody;
}

/** A decoded body, as JSON where possible, so that people can read and diff a cassette. */
export type RecordedBody =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly base64: string };

/** Marks an integer that a JavaScript number can't hold; it's stored as a string. */
const EXACT_NUMBER = "#number:";
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED_NUMBER = new RegExp(`"${EXACT_NUMBER}(-?\\d+)"`, "g");

/** Reads the decoded bytes of a body. */
export function readBody(bytes: Uint8Array): RecordedBody {
  const text = decode(bytes);
  if (text === undefined) return { base64: Buffer.from(bytes).toString("base64") };
  if (!/^\s*[{[]/.test(text)) return { text };
  try {
    return { json: JSON.parse(text.replace(JSON_TOKEN, keepExact)) };
  } catch {
    return { text };
  }
}

/** The bytes of a recorded body. */
export function bytesOf(body: RecordedBody): Buffer {
  if ("json" in body) return Buffer.from(JSON.stringify(body.json).replace(MARKED_NUMBER, "$1"));
  return "text" in body ? Buffer.from(body.text) : Buffer.from(body.base64, "base64");
}

/** The fields of an HTML form body, as used to request OAuth tokens; undefined for any other body. */
export function formOf(headers: RecordedRequest["headers"], body: RecordedBody | undefined) {
  const isForm = headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  return isForm === true && body !== undefined && "text" in body ? new URLSearchParams(body.text) : undefined;
}

/** A body that is neither JSON nor a form, as text, without multipart's random boundary. */
export function textOf(headers: RecordedRequest["headers"], body: RecordedBody): string {
  const text = "text" in body ? body.text : "base64" in body ? body.base64 : "";
  const boundary = /boundary="?([^";]+)/i.exec(headers["content-type"] ?? "")?.[1];
  return boundary === undefined ? text : text.replaceAll(boundary, "*");
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    // The text keeps its byte order mark, because a playback must send it.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function keepExact(token: string): string {
  const isLossy = /^-?\d{16,}$/.test(token) && BigInt(Number(token)) !== BigInt(token);
  return isLossy ? `"${EXACT_NUMBER}${token}"` : token;
}
