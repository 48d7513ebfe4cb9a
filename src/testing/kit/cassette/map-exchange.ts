import { formOf } from "./body.js";
import type { Exchange, RecordedBody, RecordedRequest, RecordedResponse } from "./cassette.js";
import {
  isPerson,
  type PersonalKind,
  personalKind,
  type Surroundings,
  surroundingsOfAddress,
  surroundingsOfField,
} from "./personal-fields.js";
import { isSecretField, isSecretHeader } from "./secret-names.js";

/** Where a string of an exchange is. */
export interface Place {
  /** Name of the field, the parameter or the header; "" for a part of a path and a whole body. */
  readonly name: string;
  /** What its name says that it is. */
  readonly kind: PersonalKind | "secret" | "credential" | undefined;
}

/** Replaces the strings of an exchange. */
export interface ExchangeMapper {
  string(value: string, place: Place): string;
  /** Names of the fields of one object: those of a map may be values. */
  keys(names: readonly string[]): readonly string[];
}

export function mapExchange(mapper: ExchangeMapper, { request, response }: Exchange): Exchange {
  const around = surroundingsOfAddress(request.url);
  return { request: mapRequest(mapper, request), response: mapResponse(mapper, response, around) };
}

export function mapRequest(
  mapper: ExchangeMapper,
  { method, url, headers, body }: RecordedRequest,
): RecordedRequest {
  const around = surroundingsOfAddress(url);
  return {
    method,
    url: mapUrl(mapper, url),
    headers: mapHeaders(mapper, headers),
    ...(body === undefined ? {} : { body: mapBody(mapper, body, { headers, around }) }),
  };
}

export function mapResponse(
  mapper: ExchangeMapper,
  { status, headers, body }: RecordedResponse,
  around: Surroundings,
): RecordedResponse {
  return { status, headers: mapHeaders(mapper, headers), body: mapBody(mapper, body, { headers, around }) };
}

/** Maps the parts of the path and the values of the query. What stays as it is keeps its escapes. */
export function mapUrl(mapper: ExchangeMapper, url: string): string {
  const [, origin = "", path = "", query, fragment = ""] =
    /^([a-z]+:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?(#.*)?$/i.exec(url) ?? [];
  const parts = path
    .split("/")
    .map((part) => mapEscaped(part, decoded, (text) => mapper.string(text, { name: "", kind: undefined })));
  const parameters = query === undefined ? "" : `?${mapParameters(mapper, query)}`;
  // A name and a password before the host are a credential.
  return `${origin.replace(/\/\/[^@]*@/, "//canary@")}${parts.join("/")}${parameters}${fragment}`;
}

function mapParameters(mapper: ExchangeMapper, query: string): string {
  const pairs = query.split("&").map((pair) => {
    const [name = "", ...rest] = pair.split("=");
    const place = placeOf(decodedParameter(name), "parameter", { isPerson: false });
    return rest.length === 0
      ? pair
      : `${name}=${mapEscaped(rest.join("="), decodedParameter, (text) => mapper.string(text, place))}`;
  });
  return pairs.join("&");
}

function mapEscaped(
  escaped: string,
  decode: (escaped: string) => string,
  map: (text: string) => string,
): string {
  const text = decode(escaped);
  const mapped = map(text);
  return mapped === text
    ? escaped
    : encodeURIComponent(mapped).replaceAll("%40", escaped.includes("@") ? "@" : "%40");
}

/** As it is if it cannot be decoded. */
export function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** In a query, a plus is a space. */
function decodedParameter(escaped: string): string {
  return decoded(escaped.replaceAll("+", " "));
}

function placeOf(name: string, of: "parameter" | "json", around: Surroundings): Place {
  return { name, kind: isSecretField(name, of) ? "secret" : personalKind(name, around) };
}

function mapHeaders(
  mapper: ExchangeMapper,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const mapped = Object.entries(headers).map(([name, value]) => {
    if (name === "cookie") return [name, value.replace(/(=\s*)([^;]*)/g, mapCookie)];
    if (name === "set-cookie") return [name, value.replace(/^([^=;\n]*=)([^;\n]*)/gm, mapCookie)];
    const isCredential = name !== "www-authenticate" && isSecretHeader(name);
    const kind = isCredential ? "credential" : personalKind(name, { isPerson: false });
    return [name, mapper.string(value, { name, kind })];
  });
  function mapCookie(_: string, before: string, value: string): string {
    return before + mapper.string(value, { name: "cookie", kind: "secret" });
  }
  return Object.fromEntries(mapped);
}

interface BodyPlace {
  readonly headers: Readonly<Record<string, string>>;
  readonly around: Surroundings;
}

function mapBody(mapper: ExchangeMapper, body: RecordedBody, { headers, around }: BodyPlace): RecordedBody {
  if ("base64" in body) return body;
  if ("json" in body) return { json: mapJson(mapper, body.json, around) };
  if (formOf(headers, body) !== undefined) return { text: mapParameters(mapper, body.text) };
  return {
    text: mapLines(mapper, body.text, around) ?? mapper.string(body.text, { name: "", kind: undefined }),
  };
}

/** JSON Lines; undefined for another text. */
function mapLines(mapper: ExchangeMapper, text: string, around: Surroundings): string | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const map = (line: string) =>
      line.trim() === "" ? line : JSON.stringify(mapJson(mapper, JSON.parse(line), around));
    return text.split("\n").map(map).join("\n");
  } catch {
    return undefined;
  }
}

export function mapJson(mapper: ExchangeMapper, json: unknown, around: Surroundings): unknown {
  return mapValue(mapper, json, { place: { name: "", kind: undefined }, around });
}

interface ValuePlace {
  readonly place: Place;
  /** Of what lies in the value. */
  readonly around: Surroundings;
}

function mapValue(mapper: ExchangeMapper, value: unknown, at: ValuePlace): unknown {
  if (typeof value === "string") return mapper.string(value, at.place);
  if (typeof value === "number" && at.place.kind !== undefined) return mapNumber(mapper, value, at.place);
  if (Array.isArray(value)) return value.map((item) => mapValue(mapper, item, at));
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = Object.entries(value);
  const inside = { isPerson: at.around.isPerson || isPerson(value) };
  const keys = mapper.keys(entries.map(([name]) => name));
  const mapped = entries.map(([name, field], i): [string, unknown] => {
    const place = fieldPlace(name, { fields: value, at, inside });
    return [keys[i] ?? name, mapValue(mapper, field, { place, around: surroundingsOfField(name, inside) })];
  });
  return Object.fromEntries(mapped);
}

/** A value that stands for its object, as in `phones: [{ value }]` and `{ name: "phone", value }`, is what that says. */
function fieldPlace(
  name: string,
  { fields, at, inside }: { readonly fields: object; readonly at: ValuePlace; readonly inside: Surroundings },
): Place {
  if (!/^(?:values?|number|raw|formatted)$/.test(name)) return placeOf(name, "json", inside);
  const label: unknown = ["name", "key", "field", "attribute"]
    .map((key) => Reflect.get(fields, key))
    .find((of) => typeof of === "string");
  const own = typeof label === "string" ? placeOf(label, "json", inside) : placeOf(name, "json", inside);
  return own.kind === undefined ? { name, kind: at.place.kind } : own;
}

function mapNumber(mapper: ExchangeMapper, value: number, place: Place): number {
  const mapped = Number(mapper.string(String(value), place).replace(/\D/g, ""));
  return Number.isSafeInteger(mapped) ? mapped : 0;
}
