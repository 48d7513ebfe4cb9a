import { isLoopback } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";

/** A proxy that opens tunnels (`CONNECT`). Keeps its credentials where neither JSON nor inspection reaches them. */
export class HttpProxy {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly #credentials: string | undefined;

  constructor(origin: string, credentials: string | undefined) {
    this.origin = origin;
    this.#credentials = credentials;
  }

  /** `user:password`, as Basic authentication takes it; undefined where the proxy asks for none. */
  get credentials(): string | undefined {
    return this.#credentials;
  }
}

/**
 * Reads the option `proxy`. No message quotes it, and no error carries it: it may hold a password.
 * @throws {ConfigurationError} it is no absolute URL of a proxy
 */
export function resolveProxy(proxy: string | undefined): HttpProxy | undefined {
  if (proxy === undefined) return undefined;
  const url = parse(proxy);
  if (url === undefined) {
    throw new ConfigurationError("proxy must be an absolute URL such as http://proxy.example.com:3128.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConfigurationError("proxy must begin with http:// or https://.");
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError("proxy must not have a path, a query or a fragment.");
  }
  return new HttpProxy(url.origin, credentialsOf(url));
}

/**
 * Checks that what goes to a proxy of another machine is encrypted: it would read the key of an `http://` endpoint.
 * @param name Option that `endpoint` comes from.
 */
export function checkProxy(proxy: HttpProxy | undefined, name: string, endpoint: URL): void {
  if (proxy === undefined || endpoint.protocol === "https:" || isLoopback(new URL(proxy.origin).hostname))
    return;
  throw new ConfigurationError(
    `${name} begins with http:// and proxy is on another machine, which would get the API key unencrypted. Leave proxy out: http:// is for loopback, which needs none.`,
  );
}

function parse(proxy: unknown): URL | undefined {
  return typeof proxy === "string" && URL.canParse(proxy) ? new URL(proxy) : undefined;
}

function credentialsOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new ConfigurationError(
      "proxy holds a user name or password with a % that does not begin an escape: write it as %25.",
    );
  }
}
