import type { RecordedBody, RecordedRequest } from "./cassette.js";

/** Marks an integer that a JavaScript number cannot hold: it is kept as a string. */
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

/** The fields of a body of HTML forms, as OAuth tokens are asked for; undefined if it is another body. */
export function formOf(headers: RecordedRequest["headers"], body: RecordedBody | undefined) {
  const isForm = headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  return isForm === true && body !== undefined && "text" in body ? new URLSearchParams(body.text) : undefined;
}

/** Another body than JSON and forms as text. A boundary of multipart is random, and occurs in it. */
export function textOf(headers: RecordedRequest["headers"], body: RecordedBody): string {
  const text = "text" in body ? body.text : "base64" in body ? body.base64 : "";
  const boundary = /boundary="?([^";]+)/i.exec(headers["content-type"] ?? "")?.[1];
  return boundary === undefined ? text : text.replaceAll(boundary, "*");
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark is part of the text: the connector must get it again.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function keepExact(token: string): string {
  const isLossy = /^-?\d{16,}$/.test(token) && BigInt(Number(token)) !== BigInt(token);
  return isLossy ? `"${EXACT_NUMBER}${token}"` : token;
}
