import { createHash } from "node:crypto";
import { formOf } from "../cassette/body.js";
import type { RecordedRequest } from "../cassette/cassette.js";
import { CANARY } from "../cassette/fakes.js";
import { decoded } from "../cassette/map-exchange.js";
import { personalKind } from "../cassette/personal-fields.js";
import { foldName, isSecretField, secretsOfEnvironment } from "../cassette/secret-names.js";
import { partsOf, type RequestPart } from "../structure/request-parts.js";

/**
 * What is left out of a request: `runs`: values that differ with each run by their names or looks; `setups`: also ids,
 * personal data and secrets, also in the path: a cassette has fakes of what is configured.
 */
type Blur = "nothing" | "runs" | "setups";

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
  const keys = {
    exact: keyOf(request, "nothing"),
    volatile: keyOf(request, "runs"),
    ids: keyOf(request, "setups"),
  };
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
  // Clients escape different characters, and may build parameters from a map.
  const parts = partsOf(request)
    .filter((part) => part.in === "path" || !isLeftOut(part, blur))
    .map(
      (part) =>
        [
          part.in,
          part.name,
          isBlurred(part, blur) ? "*" : blurText(part.in === "path" ? decoded(part.value) : part.value, blur),
        ] as const,
    )
    .sort(([a, b], [c, d]) => (`${a} ${b}` < `${c} ${d}` ? -1 : `${a} ${b}` > `${c} ${d}` ? 1 : 0));
  const { origin } = new URL(request.url);
  const text = `${request.method} ${origin} ${JSON.stringify(parts)} ${otherBody(request, blur)}`;
  return createHash("sha256").update(text).digest("base64");
}

/** The name of the field, also of an item in its list. */
function nameOf({ in: where, name }: RequestPart): string {
  return where === "json" ? (name.split(".").findLast((key) => !/^\d+$/.test(key)) ?? "") : name;
}

function isBlurred(part: RequestPart, blur: Blur): boolean {
  if (blur === "nothing" || part.in === "path") return false;
  const { value } = part;
  const name = nameOf(part);
  const folded = foldName(name);
  if (blur === "setups" && personalKind(name, { isPerson: false }) !== undefined) return true;
  const isSecret = isSecretField(name, part.in === "json" ? "json" : "parameter");
  if (isSecret || VOLATILE_NAME.test(folded) || JWT.test(value)) return true;
  return isTime(folded, value) || (blur === "setups" && EPOCH.test(value));
}

/** The first run has no watermark, and asks without the parameter or with none. */
function isLeftOut(part: RequestPart, blur: Blur): boolean {
  const isNone = part.value === "" || (part.in === "json" && part.value === "null");
  return blur === "setups" && (isNone || isTime(foldName(nameOf(part)), part.value));
}

function isTime(foldedName: string, value: string): boolean {
  return ISO_TIME.test(value) || (EPOCH.test(value) && TIME_NAME.test(foldedName));
}

function blurText(value: string, blur: Blur): string {
  if (blur !== "setups") return value;
  if (ISO_TIME.test(value)) return "*";
  const text = secretsOfEnvironment().reduce((rest, secret) => rest.replaceAll(secret, "*"), value);
  return [CANARY, UUID, EMAIL, TIME_IN_TEXT].reduce((rest, pattern) => rest.replace(pattern, "*"), text);
}

/** A body that has no named parts. A boundary of multipart is random, and occurs in it. */
function otherBody({ headers, body }: RecordedRequest, blur: Blur): string {
  if (body === undefined || "json" in body || formOf(headers, body) !== undefined) return "";
  const text = "text" in body ? body.text : body.base64;
  const boundary = /boundary="?([^";]+)/i.exec(headers["content-type"] ?? "")?.[1];
  return blur !== "nothing" && boundary !== undefined ? text.replaceAll(boundary, "*") : text;
}
