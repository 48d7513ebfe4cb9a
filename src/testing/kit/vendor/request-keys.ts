import { createHash } from "node:crypto";
import { formOf } from "../cassette/body.js";
import type { RecordedBody, RecordedRequest } from "../cassette/cassette.js";
import { CANARY } from "../cassette/fakes.js";
import { personalKind } from "../cassette/personal-fields.js";
import { foldName, isSecretField, secretsOfEnvironment } from "../cassette/secret-names.js";

/** How far a request may differ from the recorded one. */
interface Blur {
  /** Whether values that differ with each run by their names or looks are left out. */
  readonly volatile: boolean;
  /** Whether ids, personal data and secrets are left out too, also in the path: a cassette has fakes of what is configured. */
  readonly ids: boolean;
}

const EXACT: Blur = { volatile: false, ids: false };
const VOLATILE: Blur = { volatile: true, ids: false };
const IDS: Blur = { volatile: true, ids: true };

/** Equal keys: the same request, except for what differs with each run, and with each configuration. */
interface Keys {
  readonly exact: string;
  readonly volatile: string;
  readonly ids: string;
}

/** A recording is matched again for each fault. */
const KEYS = new WeakMap<RecordedRequest, Keys>();

export function keysOf(request: RecordedRequest): Keys {
  const known = KEYS.get(request);
  if (known !== undefined) return known;
  const keys = { exact: keyOf(request, EXACT), volatile: keyOf(request, VOLATILE), ids: keyOf(request, IDS) };
  KEYS.set(request, keys);
  return keys;
}

const VOLATILE_NAME =
  /(?:nonce|timestamp|signature|idempotencykey|requestid|correlationid|traceid|clientassertion|codechallenge|xamzdate|xamzcredential)$/;
const TIME_NAME =
  /^(?:ts|t|date|time|now|iat|exp|nbf|since|until|from|to|start|end|begin|after|before|min|max)$|(?:date|time|since|until|from|start|end|after|before|at)$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const TIME_IN_TEXT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?/g;
/** Seconds and milliseconds since 1970, from 2001 on. */
const EPOCH = /^\d{10}(?:\d{3})?(?:\.\d+)?$/;
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi;
const EMAIL = /[^\s/@:,;"'<>()]+@[^\s/@:,;"'<>()]+/g;

function keyOf(request: RecordedRequest, blur: Blur): string {
  const url = new URL(request.url);
  const query = fieldsOf(url.searchParams, blur);
  // Clients escape different characters.
  const path = JSON.stringify(url.pathname.split("/").map((part) => blurText(decode(part), blur)));
  const text = `${request.method} ${url.origin}${path}?${JSON.stringify(query)} ${bodyOf(request, blur)}`;
  return createHash("sha256").update(text).digest("base64");
}

/** Parameters in the order of their names: a client may build them from a map. */
function fieldsOf(parameters: URLSearchParams, blur: Blur): [string, string][] {
  return [...parameters]
    .filter(([name, value]) => !isLeftOut(name, value, blur))
    .map(([name, value]): [string, string] => [
      name,
      isBlurred(name, value, "parameter", blur) ? "*" : blurText(value, blur),
    ])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function bodyOf({ headers, body }: RecordedRequest, blur: Blur): string {
  if (body === undefined) return "";
  const form = formOf(headers, body);
  if (form !== undefined) return JSON.stringify(fieldsOf(form, blur));
  if ("json" in body) return JSON.stringify(fieldOf("", body.json, blur));
  return withoutBoundary(headers["content-type"], body, blur);
}

function fieldOf(name: string, value: unknown, blur: Blur): unknown {
  if (Array.isArray(value)) return value.map((item) => fieldOf(name, item, blur));
  if (typeof value === "object" && value !== null) {
    const entries: [string, unknown][] = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    const kept = entries.filter(([key, field]) => !isLeftOut(key, field, blur));
    return kept.map(([key, field]) => [key, fieldOf(key, field, blur)]);
  }
  const text = String(value);
  if (isBlurred(name, text, "json", blur)) return "*";
  return typeof value === "string" ? blurText(value, blur) : value;
}

function isBlurred(name: string, value: string, place: "parameter" | "json", blur: Blur): boolean {
  if (!blur.volatile) return false;
  const folded = foldName(name);
  if (blur.ids && personalKind(name, { isPerson: false }) !== undefined) return true;
  if (isSecretField(name, place) || VOLATILE_NAME.test(folded) || JWT.test(value)) return true;
  return isTime(folded, value) || (blur.ids && EPOCH.test(value));
}

/** The first run has no watermark, and asks without the parameter or with none. */
function isLeftOut(name: string, value: unknown, blur: Blur): boolean {
  if (!blur.ids) return false;
  return (
    value === null || value === "" || (typeof value !== "object" && isTime(foldName(name), String(value)))
  );
}

function isTime(foldedName: string, value: string): boolean {
  return ISO_TIME.test(value) || (EPOCH.test(value) && TIME_NAME.test(foldedName));
}

function blurText(value: string, blur: Blur): string {
  if (!blur.ids) return value;
  if (ISO_TIME.test(value)) return "*";
  const text = secretsOfEnvironment().reduce((rest, secret) => rest.replaceAll(secret, "*"), value);
  return [CANARY, UUID, EMAIL, TIME_IN_TEXT].reduce((rest, pattern) => rest.replace(pattern, "*"), text);
}

/** A boundary of multipart is random, and occurs in the body. */
function withoutBoundary(
  type: string | undefined,
  body: Exclude<RecordedBody, { json: unknown }>,
  blur: Blur,
): string {
  const text = "text" in body ? body.text : body.base64;
  const boundary = /boundary="?([^";]+)/i.exec(type ?? "")?.[1];
  return blur.volatile && boundary !== undefined ? text.replaceAll(boundary, "*") : text;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
