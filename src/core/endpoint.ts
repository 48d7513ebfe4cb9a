import { ConfigurationError } from "./errors/index.js";

// Not declared in node/tls.ts, because users' compilers would then load `node:tls`.
/** Which servers to trust, and the client's own certificate, in PEM. */
export interface TlsOptions {
  /** Certificates of the authorities to trust instead of the well-known ones. @default the well-known ones */
  readonly ca?: string | Uint8Array | undefined;
  /** The client's certificate, for mutual TLS; requires `key`. @default none */
  readonly cert?: string | Uint8Array | undefined;
  /** The client's private key; requires `cert`. @default none */
  readonly key?: string | Uint8Array | undefined;
  /** Name in the server's certificate, if it isn't the endpoint's host. @default the host */
  readonly serverName?: string | undefined;
}

/** True for a host on this machine, written as in a URL or as in a socket address. */
export function isLoopback(host: string): boolean {
  return ["localhost", "[::1]", "::1"].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Returns undefined if `value` isn't a URL. Drops the parser's error, which quotes the whole input and any user info in
 * it. Doesn't use `URL.canParse`, which refuses hosts such as bücher.example after a few thousand calls in Node 20.
 */
export function parseUrl(value: unknown, base?: string): URL | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return new URL(value, base);
  } catch {
    return undefined;
  }
}

/** An address on the page's own origin; `//host` and `/\\host` are on another origin. */
const RELATIVE = /^\/(?![/\\])/;

/** The origin of the page, if this code runs in a browser. */
function pageOrigin(): string | undefined {
  const origin = globalThis.location?.origin;
  return origin !== undefined && /^https?:/.test(origin) ? origin : undefined;
}

/** Whether an endpoint is relative but there is no page, such as on a server that renders the page. */
export function lacksPage(value: unknown): boolean {
  return typeof value === "string" && RELATIVE.test(value) && pageOrigin() === undefined;
}

/**
 * Checks an endpoint: absolute `https://`, or `http://` to loopback; no user info, query or fragment. A path, and an
 * endpoint relative to the page's origin, are allowed only with `"path"`.
 * @returns the endpoint without a trailing slash
 */
export function resolveEndpoint(name: string, value: string, path: "path" | "no-path"): URL {
  const refuse = (problem: string) => new ConfigurationError(`${name} ${problem}`);
  const isRelative = path === "path" && RELATIVE.test(value);
  const origin = isRelative ? pageOrigin() : undefined;
  if (isRelative && origin === undefined)
    throw refuse("is relative, and only a page in a browser can resolve it. Set an absolute URL.");
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
