import { isLoopback, parseUrl } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";

/** A proxy that opens tunnels (`CONNECT`). JSON and inspection don't show the proxy's credentials. */
export class HttpProxy {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Where the proxy was configured: the option, or an environment variable. */
  readonly source: string;
  readonly #credentials: string | undefined;

  constructor(origin: string, source: string, credentials: string | undefined) {
    this.origin = origin;
    this.source = source;
    this.#credentials = credentials;
  }

  /** `user:password`, as for Basic authentication; undefined if the proxy needs none. */
  get credentials(): string | undefined {
    return this.#credentials;
  }

  toString(): string {
    return `${this.origin} of ${this.source}`;
  }
}

/**
 * Finds the proxy for an endpoint: from the option, otherwise from the environment, following curl's rules. Messages
 * quote neither the option nor the variable, because both may contain a password. For an `http://` endpoint, a proxy on
 * another machine is refused, because it could read the key.
 * @param name The option that set `endpoint`.
 * @throws {ConfigurationError} the proxy isn't an absolute URL, or can't be used for the endpoint
 */
export function resolveProxy(option: string | undefined, name: string, endpoint: URL): HttpProxy | undefined {
  const [source, proxy] = option === undefined ? (ofEnvironment(endpoint) ?? []) : ["proxy", option];
  if (source === undefined) return undefined;
  const url = parseUrl(proxy);
  if (url === undefined)
    throw new ConfigurationError(`${source} must be an absolute URL such as http://proxy.example.com:3128.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConfigurationError(`${source} must begin with http:// or https://.`);
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError(`${source} must not have a path, a query or a fragment.`);
  }
  if (endpoint.protocol !== "https:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `${name} begins with http:// and proxy is on another machine, so the API key would be sent unencrypted. Omit proxy: http:// is for loopback only.`,
    );
  }
  return new HttpProxy(
    url.origin,
    option === undefined ? source : "the option proxy",
    credentialsOf(url, source),
  );
}

/** The environment variable with the proxy for an endpoint, and its value. Loopback never uses a proxy. */
function ofEnvironment({ protocol, hostname }: URL): readonly [name: string, value: string] | undefined {
  const { env } = process;
  const scheme = protocol.slice(0, -1);
  const name = [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase()].find((one) => env[one]);
  const value = name === undefined ? undefined : env[name];
  if (name === undefined || value === undefined || isLoopback(hostname)) return undefined;
  if (isExcepted(hostname, env["no_proxy"] || env["NO_PROXY"] || "")) return undefined;
  return [name, value.includes("://") ? value : `http://${value}`];
}

/** Whether a list contains the host, one of its parent domains, a network that contains its address, or `*`. */
function isExcepted(hostname: string, list: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule("node:net");
  const host = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  return list.split(/[\s,]+/).some((entry) => {
    const [network = "", bits] = entry.toLowerCase().replace(/^\./, "").split("/");
    if (bits === undefined || isIP(host) === 0 || isIP(network) !== isIP(host))
      return network === "*" || host === network || (network !== "" && host.endsWith(`.${network}`));
    const networks = new BlockList();
    networks.addSubnet(network, Number(bits), family);
    return networks.check(host, family);
  });
}

function credentialsOf({ username, password }: URL, source: string): string | undefined {
  if (username === "" && password === "") return undefined;
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new ConfigurationError(
      `${source} has a user name or password with a % that does not begin an escape: write it as %25.`,
    );
  }
}
