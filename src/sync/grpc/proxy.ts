import type { HttpProxy } from "../../node/proxy.js";

/** Where a channel connects to, and the options that take it from there. */
export interface ProxyRoute {
  /** Host and port that the channel is made for. */
  readonly target: string;
  /** Options of the channel, by their gRPC names. */
  readonly options: Readonly<Record<string, string | number>>;
}

/**
 * The way to a server, through a proxy where there is one. grpc-js reads proxies from the environment alone, and hands
 * what it found to its connections as channel options; these are the same.
 * @param target Host and port of the server.
 */
export function proxyRoute(proxy: HttpProxy | undefined, target: string): ProxyRoute {
  if (proxy === undefined) return { target, options: {} };
  const { hostname, port } = new URL(proxy.origin);
  const { credentials } = proxy;
  return {
    target: `${hostname}:${port === "" ? 80 : port}`,
    options: {
      "grpc.http_connect_target": `dns:${target}`,
      ...(credentials === undefined ? {} : { "grpc.http_connect_creds": credentials }),
      // Else requests would be addressed to the proxy.
      "grpc.default_authority": target,
      // Else a proxy of the environment would come before this one.
      "grpc.enable_http_proxy": 0,
    },
  };
}
