import type { Exchange } from "./cassette.js";
import { credentialsGranted, credentialsSent } from "./credentials.js";
import { Fakes } from "./fakes.js";
import { type ExchangeMapper, mapExchange, mapJson, mapUrl, type Place } from "./map-exchange.js";
import { PersonalValues } from "./personal-values.js";
import { foldName, MIN_SECRET_LENGTH } from "./secret-names.js";

const EMAIL = /[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu;
const JWT = /^(eyJ[\w-]+)\.([\w-]+)\.[\w-]*$/;
/** Fields whose values are words of the vendor, whoever has such a name. */
const VENDOR_WORDS =
  /^(?:roles?|status|state|types?|kind|scopes?|plan|product|productname|currency|locale|language|timezone|country|object|resourcetype|schemas?|events?|eventtype|action|category|permissions?|level|tier|sku|odatatype|operation|verb)$/;

/**
 * Replaces credentials and personal data by fakes, equal values by equal fakes.
 * @param key Key of the fakes.
 * @param secrets Secrets that are known from elsewhere.
 */
export function redact(
  exchanges: readonly Exchange[],
  { key, secrets }: { readonly key: Buffer; readonly secrets: readonly string[] },
): readonly Exchange[] {
  const collected = new Collection(new Set(secrets));
  for (const exchange of exchanges) collected.add(exchange);
  const redaction = new Redaction(collected, new Fakes(key));
  return exchanges.map((exchange) => mapExchange(redaction, exchange));
}

/** Notes the secrets and the personal values of a recording. */
class Collection implements ExchangeMapper {
  readonly values = new PersonalValues();
  readonly #keys = new Map<string, readonly string[]>();
  readonly #parts = new Map<string, number>();
  #count = 0;

  constructor(readonly secrets: Set<string>) {}

  add(exchange: Exchange): void {
    mapExchange(this, exchange);
    for (const secret of credentialsSent(exchange.request)) this.secrets.add(secret);
    for (const secret of credentialsGranted(exchange.response)) this.secrets.add(secret);
    this.#count += 1;
    const parts = new Set(new URL(exchange.request.url).pathname.split("/"));
    for (const part of parts) this.#parts.set(part, (this.#parts.get(part) ?? 0) + 1);
  }

  string(value: string, { kind }: Place): string {
    const claims = claimsOf(value);
    if (claims !== undefined) mapJson(this, claims, { isPerson: true });
    const emails = value.match(EMAIL);
    for (const email of emails ?? []) {
      const local = email.slice(0, email.lastIndexOf("@"));
      // ada.lovelace names a person wherever it is.
      if (/^\p{L}+[._]\p{L}+$/u.test(local)) this.values.add(local, "login");
    }
    if (kind === "secret" && value.length >= MIN_SECRET_LENGTH) this.secrets.add(value);
    if (kind !== undefined && kind !== "secret" && kind !== "credential" && emails === null)
      this.values.add(value, kind);
    return value;
  }

  keys(names: readonly string[]): readonly string[] {
    this.#keys.set(names.join("\n"), names);
    return names;
  }

  /** Words of the vendor's interface: names of fields, unless they are the keys of a map of persons, and parts of paths. */
  vocabulary(): ReadonlySet<string> {
    const words = new Set<string>();
    for (const names of this.#keys.values())
      if (!isMapOf(this.values, names)) for (const name of names) words.add(name);
    for (const [part, count] of this.#parts) if (count > 1 && count * 2 > this.#count) words.add(part);
    return words;
  }
}

function isMapOf(values: PersonalValues, names: readonly string[]): boolean {
  return names.filter((name) => values.kindOf(name) !== undefined).length * 2 >= names.length;
}

class Redaction implements ExchangeMapper {
  readonly #values: PersonalValues;
  /** The longest first: one may be part of another. */
  readonly #secrets: readonly string[];

  constructor(
    collected: Collection,
    readonly fakes: Fakes,
  ) {
    this.#values = collected.values;
    this.#values.index(collected.vocabulary());
    this.#secrets = [...collected.secrets].sort((a, b) => b.length - a.length);
  }

  string(value: string, { name, kind }: Place): string {
    if (kind === "secret") return value === "" ? value : this.#canary(value);
    if (kind === "credential") return this.#credential(value);
    const own = kind === undefined ? undefined : this.#values.kindOf(value);
    if (own !== undefined) return this.fakes.personal(own, value);
    return this.#text(value, VENDOR_WORDS.test(foldName(name)));
  }

  keys(names: readonly string[]): readonly string[] {
    const isMap = isMapOf(this.#values, names);
    return names.map((name) => this.#text(name, !isMap));
  }

  /** @param isVendors Whether only addresses of e-mail and secrets are replaced. */
  #text(text: string, isVendors: boolean): string {
    const inner = (decoded: string) => this.#text(decoded, isVendors);
    const encoded = claimsOf(text) === undefined ? mapEncoded(text, inner) : this.#canary(text);
    if (encoded !== undefined) return encoded;
    if (/^\/\S*(?:\?|%40)\S*$/.test(text)) return mapUrl(this, text);
    // A text around addresses, as a Link header has them.
    const pieces = text.split(/(https?:\/\/[^\s<>"']+)/);
    return pieces
      .map((piece, i) => (i % 2 === 1 ? mapUrl(this, piece) : this.#plain(piece, isVendors)))
      .join("");
  }

  #plain(text: string, isVendors: boolean): string {
    const withoutSecrets = this.#secrets.reduce(
      (rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, this.#canary(secret)) : rest),
      text,
    );
    const withoutEmails = withoutSecrets.replace(EMAIL, (email) => this.fakes.email(email));
    if (isVendors) return withoutEmails;
    return this.#values.replace(withoutEmails, (kind, value) => this.fakes.personal(kind, value));
  }

  /** `Bearer abc` keeps its scheme. */
  #credential(value: string): string {
    return value.replace(
      /^(\w+ +)?(.+)$/s,
      (_, scheme: string | undefined, secret: string) => (scheme ?? "") + this.#canary(secret),
    );
  }

  /** A connector may read the claims of a token, such as its expiry. */
  #canary(secret: string): string {
    const claims = claimsOf(secret);
    if (claims === undefined) return this.fakes.canary(secret);
    const clean = Buffer.from(JSON.stringify(mapJson(this, claims, { isPerson: true }))).toString(
      "base64url",
    );
    return `${secret.slice(0, secret.indexOf("."))}.${clean}.${this.fakes.canary(secret)}`;
  }
}

/** The claims of a JSON web token; undefined for another string. */
function claimsOf(token: string): object | undefined {
  const [, head = "", claims = ""] = JWT.exec(token) ?? [];
  return readJson(head) && readJson(claims);
}

function readJson(encoded: string): object | undefined {
  if (encoded === "") return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

/**
 * Maps the text inside a value in base64, such as a cursor made of an address, and encodes it again.
 * @returns undefined if it is not such a value, or the text stays as it is
 */
function mapEncoded(value: string, map: (text: string) => string): string | undefined {
  if (!BASE64.test(value)) return undefined;
  const text = readable(Buffer.from(value, "base64"));
  const mapped = text === undefined ? undefined : map(text);
  if (mapped === undefined || mapped === text) return undefined;
  const isUrlSafe = /[-_]/.test(value);
  const encoded = Buffer.from(mapped).toString(isUrlSafe ? "base64url" : "base64");
  return value.endsWith("=") || value.length % 4 === 0 ? encoded : encoded.replace(/=+$/, "");
}

function readable(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /\p{Cc}/u.test(text.replace(/[\t\n\r]/g, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}
