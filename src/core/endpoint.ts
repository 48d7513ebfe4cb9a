import { ConfigurationError } from "./errors/index.js";

// Not beside its check: declarations of the package must not make a compiler load `node:tls`.
/** Which servers are trusted, and the client's own certificate, in PEM. */
export interface TlsOptions {
  /** Certificates of the authorities to trust, instead of the well-known ones. @default the well-known ones */
  readonly ca?: string | Uint8Array | undefined;
  /** Certificate of the client, for mutual TLS; together with `key`. @default none */
  readonly cert?: string | Uint8Array | undefined;
  /** Private key of the client; together with `cert`. @default none */
  readonly key?: string | Uint8Array | undefined;
  /** Name that the server's certificate must have, if it is not the endpoint's host. @default the host */
  readonly serverName?: string | undefined;
}

/** True for a host that never leaves this machine, as in a URL or as a socket takes it. */
export function isLoopback(host: string): boolean {
  return ["localhost", "[::1]", "::1"].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Returns undefined for what is not a URL. The parser's own error holds the whole input, which may have user info in it;
 * `URL.canParse` of Node 20 refuses hosts such as bücher.example after some thousand calls.
 */
export function parseUrl(value: unknown, base?: string): URL | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return new URL(value, base);
  } catch {
    return undefined;
  }
}

/** An address on the page's own origin: `//host` and `/\\host` would be another one. */
const RELATIVE = /^\/(?![/\\])/;

/** The origin of a browser's page, if this is one. */
function pageOrigin(): string | undefined {
  const origin = globalThis.location?.origin;
  return origin !== undefined && /^https?:/.test(origin) ? origin : undefined;
}

/** Whether an endpoint is relative and there is no page: a server may make the client that only a page uses. */
export function lacksPage(value: unknown): boolean {
  return typeof value === "string" && RELATIVE.test(value) && pageOrigin() === undefined;
}

/**
 * Checks an endpoint: absolute `https://`, or `http://` to loopback; no user info, query or fragment. Only with `"path"`
 * it may have a path, or be relative to the origin of a browser's page.
 * @returns the endpoint without a trailing slash
 */
export function resolveEndpoint(name: string, value: string, path: "path" | "no-path"): URL {
  const refuse = (problem: string) => new ConfigurationError(`${name} ${problem}`);
  const isRelative = path === "path" && typeof value === "string" && RELATIVE.test(value);
  const origin = isRelative ? pageOrigin() : undefined;
  if (isRelative && origin === undefined)
    throw refuse("is relative, which only a browser's page can resolve. Set an absolute URL.");
  const url = parseUrl(value, origin);
  if (url === undefined) throw refuse("must be an absolute URL such as https://api.example.com.");
  if (url.username !== "" || url.password !== "") throw refuse("must not contain user info: use apiKey.");
  if (url.search !== "" || url.hash !== "") throw refuse("must not have a query or a fragment.");
  if (!isRelative && url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw refuse("must begin with https://; http:// is for loopback only (localhost, 127.0.0.0/8, [::1]).");
  }
  if (path === "no-path" && url.pathname !== "/") throw refuse("must not have a path.");
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}
