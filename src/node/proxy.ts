import { isLoopback } from "../core/endpoint.js";
import { ConfigurationError, TransportError } from "../core/errors/index.js";
import { causesOf, NETWORK_ERRORS } from "../core/network-errors.js";

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
 * Reads the option `proxy`. No message quotes it: it may hold a password.
 * @throws {ConfigurationError} it is not an absolute URL of a proxy
 */
export function resolveProxy(proxy: string | undefined): HttpProxy | undefined {
  if (proxy === undefined) return undefined;
  if (typeof proxy !== "string" || !URL.canParse(proxy))
    throw new ConfigurationError("proxy must be an absolute URL such as http://proxy.example.com:3128.");
  const url = new URL(proxy);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConfigurationError("proxy must begin with http:// or https://.");
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError("proxy must not have a path, a query or a fragment.");
  }
  return new HttpProxy(url.origin, credentialsOf(url));
}

/**
 * Checks that a proxy on another machine gets encrypted traffic only: it could read the key of an `http://` endpoint.
 * @param name Option that `endpoint` comes from.
 */
export function checkProxy(proxy: HttpProxy | undefined, name: string, endpoint: URL): void {
  if (proxy === undefined || endpoint.protocol === "https:" || isLoopback(new URL(proxy.origin).hostname))
    return;
  throw new ConfigurationError(
    `${name} begins with http:// and proxy is on another machine, which would get the API key unencrypted. Leave proxy out: http:// is for loopback only.`,
  );
}

/**
 * Translates an error of a connection through a proxy: every TCP connection is one to the proxy.
 * @returns an error of the SDK if the proxy refused the tunnel, otherwise the error with a code of the proxy's failure
 */
export function proxyFailure(error: unknown, proxy: HttpProxy, host: string): unknown {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof Error)) break;
    // The message is all that undici tells.
    const status = /^Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
    if (status?.startsWith("5") === true) return withCode("PROXY_TUNNEL_FAILED", error);
    if (status !== undefined) {
      const { advice } = NETWORK_ERRORS[status === "407" ? "PROXY_AUTHENTICATION" : "PROXY_REFUSED"];
      return new TransportError(
        `The proxy ${proxy.origin} did not open a tunnel to ${host} (HTTP ${status}). ${advice}.`,
      );
    }
    if ("syscall" in cause && (cause.syscall === "connect" || cause.syscall === "getaddrinfo"))
      return withCode("PROXY_UNREACHABLE", error);
  }
  return error;
}

function withCode(code: keyof typeof NETWORK_ERRORS, cause: unknown): Error {
  return Object.assign(new Error("The proxy failed.", { cause }), { code });
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
