import { isLoopback, parseUrl } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";

/** A proxy that opens tunnels (`CONNECT`). JSON and inspection do not show its credentials. */
export class HttpProxy {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly #credentials: string | undefined;

  constructor(origin: string, credentials: string | undefined) {
    this.origin = origin;
    this.#credentials = credentials;
  }

  /** `user:password`, as Basic authentication takes it; undefined if the proxy needs none. */
  get credentials(): string | undefined {
    return this.#credentials;
  }
}

/**
 * Reads the option `proxy`. No message quotes it: it may hold a password. A proxy on another machine gets encrypted
 * traffic only: it could read the key of an `http://` endpoint.
 * @param name Option that `endpoint` comes from.
 * @throws {ConfigurationError} it is not an absolute URL of a proxy, or not one for that endpoint
 */
export function resolveProxy(proxy: string | undefined, name: string, endpoint: URL): HttpProxy | undefined {
  if (proxy === undefined) return undefined;
  const url = parseUrl(proxy);
  if (url === undefined)
    throw new ConfigurationError("proxy must be an absolute URL such as http://proxy.example.com:3128.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConfigurationError("proxy must begin with http:// or https://.");
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError("proxy must not have a path, a query or a fragment.");
  }
  if (endpoint.protocol !== "https:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `${name} begins with http:// and proxy is on another machine, which would get the API key unencrypted. Leave proxy out: http:// is for loopback only.`,
    );
  }
  return new HttpProxy(url.origin, credentialsOf(url));
}

function credentialsOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new ConfigurationError(
      "proxy has a user name or password with a % that does not begin an escape: write it as %25.",
    );
  }
}
