import { randomBytes } from "node:crypto";
import { isPlainObject } from "../../../core/validate.js";
import { getOrAdd } from "../../../reference-server/values.js";
import { decoded, partsOf } from "../structure/request-parts.js";
import type { Cassette, Exchange, RecordedBody, RecordedRequest, RecordedResponse } from "./cassette.js";
import { formOf, textOf } from "./cassette.js";
import { Fakes, isPlain, OWN, ownTag, wordsOf } from "./fakes.js";
import { Fields } from "./fields.js";
import { mapCsv, mapXml } from "./texts.js";

/**
 * Answer headers that connectors use for paging, waiting and dates. A cassette has no other headers, except the content
 * type of requests.
 */
const HARMLESS =
  /^(?:content-type|link|retry-after|etag|location|date|last-modified|set-cookie|content-range|(?:x-)?rate-?limit-[a-z-]+|x-(?:total|total-count|total-pages|page|per-page|next-page|prev-page))$/;
/** What a path segment that names a resource looks like. */
const RESOURCE = /^(?:v\d{1,2}|[a-z]+(?:[-_.][a-z]+)*)$/i;
const JWT = /^(eyJ[\w-]+)\.(eyJ[\w-]+)\.[\w-]*$/;
const RELATION = /rel="?(?:next|prev|previous|first|last|self)"?/;
const ESCAPED = /^[^\s%]*(?:%[0-9a-f]{2}[^\s%]*)+$/i;
/** In the connector's own texts, words of at least this length count as copies if an answer contains them. */
const SHORTEST_COPY = 5;

type MapText = (text: string, field: string) => string;

type Runs = readonly { readonly startedAt: string; readonly exchanges: readonly Exchange[] }[];

/**
 * Replaces all strings of recorded runs. Strings in answers become fakes, and equal strings become equal fakes.
 * Requests that use values from earlier answers get the same fakes; all other strings in requests are the connector's
 * own. A string is kept if it's plain, repeats like an enum's values, or is in a field of `keep`.
 */
export function redact(
  runs: Runs,
  keep: readonly string[],
): { readonly cassette: Cassette; readonly kept: ReadonlyMap<string, ReadonlySet<string>> } {
  const fields = new Fields(keep);
  const redaction = new Redaction(fields);
  // The first pass counts strings, and the second replaces them.
  for (const [index, { exchanges }] of runs.entries()) redaction.note(exchanges, index === 0);
  fields.settle();
  const replaced = runs.map(({ startedAt, exchanges }) => ({
    startedAt,
    exchanges: redaction.replace(exchanges),
  }));
  const kept = [...new Set([...fields.kept.values()].flatMap((values) => [...values]))].sort();
  const cassette = { version: 2, salt: redaction.salt, kept, runs: withoutNeedlessTags(replaced) } as const;
  return { cassette, kept: fields.kept };
}

/**
 * Shortens tags that are the same in all requests, such as a password's, because they can't tell requests apart.
 */
function withoutNeedlessTags(runs: Runs): Runs {
  const tags = new Map<string, Set<string>>();
  const parts = runs.flatMap(({ exchanges }) => exchanges.flatMap(({ request }) => partsOf(request)));
  for (const { in: where, name, value } of parts) {
    const known = getOrAdd(tags, `${where} ${name}`, () => new Set<string>());
    if (OWN.test(value)) known.add(value);
  }
  const needed = new Set([...tags.values()].filter(({ size }) => size > 1).flatMap((values) => [...values]));
  return JSON.parse(
    JSON.stringify(runs).replace(new RegExp(OWN, "g"), (tag) => (needed.has(tag) ? tag : "own")),
  );
}

class Redaction {
  readonly salt = randomBytes(8).toString("hex");
  readonly #fakes = new Fakes();
  /** Words of the answers so far, which a connector may use in later requests. */
  readonly #given = new Set<string>();
  readonly #origins = new Set<string>();
  /** Path segments that name resources. */
  readonly #resources = new Set<string>();

  constructor(readonly fields: Fields) {}

  note(exchanges: readonly Exchange[], isFirst: boolean): void {
    for (const { request, response } of exchanges) {
      const { origin, pathname } = new URL(request.url);
      this.#origins.add(origin);
      for (const part of pathname.split("/")) if (RESOURCE.test(part)) this.#resources.add(part);
      this.#request(request, (text, field) => this.fields.note(text, field, "sent", isFirst));
      this.#response(response, (text, field) => this.fields.note(text, field, "answered", isFirst));
    }
  }

  replace(exchanges: readonly Exchange[]): readonly Exchange[] {
    return exchanges.map(({ request, response }) => ({
      request: this.#request(request, (text, field) => this.#sent(text, field)),
      response: this.#response(response, (text, field) => this.#answered(text, field)),
    }));
  }

  #request({ method, url, headers, body }: RecordedRequest, map: MapText): RecordedRequest {
    const type = headers["content-type"];
    return {
      method,
      url: this.#address(url, map),
      headers: type === undefined ? {} : { "content-type": mediaType(type) },
      ...(body === undefined ? {} : { body: this.#asked(body, headers, map) }),
    };
  }

  /** Maps a request's text as a whole, because a playback compares it as a whole. */
  #asked(body: RecordedBody, headers: RecordedRequest["headers"], map: MapText): RecordedBody {
    if ("json" in body) return { json: this.#json(body.json, map) };
    if (formOf(headers, body) !== undefined && "text" in body)
      return { text: this.#parameters(body.text, map) };
    return { text: map(textOf(headers, body), "a body") };
  }

  #response({ status, headers, body }: RecordedResponse, map: MapText): RecordedResponse {
    const kept = Object.entries(headers)
      .filter(([name]) => HARMLESS.test(name) || this.fields.isKept(name))
      .map(([name, value]) => [name, this.#header(name, value, map)]);
    return { status, headers: Object.fromEntries(kept), body: this.#body(body, headers, map) };
  }

  #header(name: string, value: string, map: MapText): string {
    if (name === "content-type") return mediaType(value);
    if (name === "set-cookie")
      return value.replace(/^([^=;\n]*=)([^;\n]*).*$/gm, (_, cookie, text) => cookie + map(text, name));
    if (/^(?:x-)?rate-?limit-/.test(name) && /^[\d.]+$/.test(value)) return value;
    if (name !== "link") return map(value, name);
    return [...value.matchAll(/<([^<>]*)>([^<>]*)/g)]
      .map(([, address = "", more = ""]) => {
        const relation = RELATION.exec(more)?.[0];
        return `<${map(address, name)}>${relation === undefined ? "" : `; ${relation}`}`;
      })
      .join(", ");
  }

  #body(body: RecordedBody, headers: RecordedResponse["headers"], map: MapText): RecordedBody {
    if ("json" in body) return { json: this.#json(body.json, map) };
    if ("base64" in body)
      return { base64: Buffer.alloc(Buffer.from(body.base64, "base64").length).toString("base64") };
    const { text } = body;
    const type = headers["content-type"] ?? "";
    if (/csv|tab-separated/.test(type)) return { text: mapCsv(text, map) };
    if (/^\s*</.test(text)) return { text: mapXml(text, map) };
    return { text: this.#lines(text, map) ?? map(text, "a body") };
  }

  /** Maps JSON Lines; returns undefined for any other text. */
  #lines(text: string, map: MapText): string | undefined {
    if (!text.startsWith("{")) return undefined;
    try {
      return text
        .split("\n")
        .map((line) => (line.trim() === "" ? line : JSON.stringify(this.#json(JSON.parse(line), map))))
        .join("\n");
    } catch {
      return undefined;
    }
  }

  #json(value: unknown, map: MapText, field = ""): unknown {
    if (typeof value === "string") return map(value, field);
    if (Array.isArray(value)) return value.map((item) => this.#json(item, map, field));
    if (!isPlainObject(value)) return value;
    const isMap = this.fields.isMap(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const isName = !isMap && Fields.isName(name);
        return [isName ? name : map(name, "a key"), this.#json(inner, map, isName ? name : field)];
      }),
    );
  }

  /** Maps query values and those path segments that don't name a resource. Drops user names and passwords. */
  #address(address: string, map: MapText): string {
    const [, scheme = "", host = "", path = "", query, fragment] =
      /^([a-z]+:\/\/)?((?<=\/\/)[^/?#]*)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(address) ?? [];
    const origin = scheme + host.slice(host.lastIndexOf("@") + 1);
    const isVendors = scheme === "" || this.#origins.has(origin);
    const parts = path.split("/").map((part) => {
      const isResource = isVendors && this.#resources.has(part) && !this.fields.isValue(part);
      return part === "" || isResource ? part : mapEscaped(part, (text) => map(text, "a path"));
    });
    return [
      isVendors ? origin : scheme + map(origin.slice(scheme.length), "a host"),
      parts.join("/"),
      query === undefined ? "" : `?${this.#parameters(query, map)}`,
      fragment === undefined ? "" : `#${mapEscaped(fragment, (text) => map(text, "a fragment"))}`,
    ].join("");
  }

  #parameters(query: string, map: MapText): string {
    const pairs = query.split("&").map((pair) => {
      const [name = "", ...rest] = pair.split("=");
      const clear = decoded(name.replaceAll("+", " "));
      const mappedName = Fields.isName(clear) ? name : mapEscaped(clear, (text) => map(text, "a parameter"));
      if (rest.length === 0) return mappedName;
      return `${mappedName}=${mapEscaped(rest.join("=").replaceAll("+", " "), (text) => map(text, clear))}`;
    });
    return pairs.join("&");
  }

  #answered(text: string, field: string): string {
    if (isPlain(text) || this.fields.keeps(text, field)) return text;
    const jwt = JWT.exec(text);
    const claims = jwt === null ? undefined : claimsOf(jwt[2] ?? "");
    if (claims !== undefined) return this.#token(text, claims, field);
    const map: MapText = (part) => this.#words(part);
    if (/^[/?][^\s]*$/.test(text)) return this.#address(text, map);
    return text
      .split(/(https?:\/\/[^\s<>"']+)/)
      .map((part, i) => (i % 2 === 1 ? this.#address(part, map) : this.#words(part)))
      .join("");
  }

  #words(text: string): string {
    if (isPlain(text)) return text;
    // Decode the text first, because a fake of an escape sequence couldn't be decoded.
    if (ESCAPED.test(text)) return mapEscaped(text, (clear) => this.#faked(clear));
    return this.#faked(text);
  }

  #faked(text: string): string {
    for (const word of wordsOf(text)) this.#given.add(word);
    return this.#fakes.text(text);
  }

  /** A connector may read the claims of a token, such as its expiry. */
  #token(text: string, claims: object, field: string): string {
    const [head = "", , signature = ""] = text.split(".");
    const replaced = JSON.stringify(this.#json(claims, (value) => this.#answered(value, field)));
    return `${head}.${Buffer.from(replaced).toString("base64url")}.${this.#words(signature)}`;
  }

  #sent(text: string, field: string): string {
    if (isPlain(text) || this.fields.keeps(text, field)) return text;
    const words = wordsOf(text);
    if (words.length > 0 && words.every((word) => this.#given.has(word))) return this.#answered(text, field);
    const copied = this.#fakes.text(text, (word) => word.length >= SHORTEST_COPY && this.#given.has(word));
    return ownTag(this.salt, copied);
  }
}

function mediaType(type: string): string {
  const [media = ""] = type.split(";");
  const charset = /charset="?([\w-]+)"?/i.exec(type)?.[1];
  return charset === undefined ? media : `${media}; charset=${charset}`;
}

function claimsOf(encoded: string): object | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
    return isPlainObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** A string that stays unchanged keeps its escapes. */
function mapEscaped(escaped: string, map: (text: string) => string): string {
  const text = decoded(escaped);
  const mapped = map(text);
  return mapped === text ? escaped : encodeURIComponent(mapped);
}
