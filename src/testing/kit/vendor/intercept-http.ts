import { subscribe, unsubscribe } from "node:diagnostics_channel";
import http, { type ClientRequest, type RequestOptions } from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { connect } from "node:net";
import { urlToHttpOptions } from "node:url";
import { isObject } from "../../../core/validate.js";
import type { Take, Taken } from "./messages.js";

/** Published when response headers arrive. A listener on the request would keep Node from discarding the response. */
const ANSWERED = "http.client.response.finish";

/** Intercepts `request` and `get` of http and https, and with them axios, got and node-fetch. */
export function replaceModules(take: Take): () => void {
  const taking = new WeakMap<object, Taken>();
  const agents = new Map<string, VendorAgent>();
  const agentOf = (protocol: string, port: number) => {
    const key = `${protocol}${port}`;
    const agent = agents.get(key) ?? new VendorAgent(protocol, port);
    agents.set(key, agent);
    return agent;
  };
  const onAnswered = (message: unknown) => {
    const request: unknown = isObject(message) ? Reflect.get(message, "request") : undefined;
    if (isObject(request)) taking.get(request)?.answered();
  };
  const modules = [
    { module: http, protocol: "http:", own: { request: http.request, get: http.get } },
    { module: https, protocol: "https:", own: { request: https.request, get: https.get } },
  ];
  for (const { module, protocol, own } of modules) {
    const request = (...parameters: RequestParameters): ClientRequest => {
      const { options, callback } = readParameters(parameters);
      const scheme = options.protocol ?? protocol;
      const taken = options.socketPath ? undefined : take(originOf(options, scheme));
      if (taken === undefined) return Reflect.apply(own.request, module, parameters);
      const sent = own.request(
        {
          ...options,
          createConnection: undefined,
          agent: agentOf(scheme, taken.port),
          headers: withHeaders(options.headers, taken.headers),
        },
        callback,
      );
      taking.set(sent, taken);
      return sent.once("close", taken.answered);
    };
    const get = (...parameters: RequestParameters): ClientRequest => {
      const sent = request(...parameters);
      sent.end();
      return sent;
    };
    Object.assign(module, { request, get });
  }
  subscribe(ANSWERED, onAnswered);
  // Named imports are copies, which must be updated.
  syncBuiltinESMExports();
  return () => {
    unsubscribe(ANSWERED, onAnswered);
    for (const { module, own } of modules) Object.assign(module, own);
    syncBuiltinESMExports();
    for (const agent of agents.values()) agent.destroy();
  };
}

/** Connects to the simulated vendor instead of the requested host, without TLS. */
class VendorAgent extends http.Agent {
  readonly defaultPort: number;

  constructor(
    readonly protocol: string,
    readonly port: number,
  ) {
    super({ keepAlive: true });
    this.defaultPort = protocol === "https:" ? 443 : 80;
  }

  override createConnection() {
    return connect({ host: "127.0.0.1", port: this.port, noDelay: true });
  }
}

type Callback = (response: http.IncomingMessage) => void;
type RequestParameters = readonly [
  input: string | URL | RequestOptions,
  second?: RequestOptions | Callback,
  third?: Callback,
];

function readParameters([input, second, third]: RequestParameters) {
  const callback = typeof second === "function" ? second : third;
  // Not instanceof: under Jest a URL may come from another realm.
  if (typeof input !== "string" && !("href" in input && "searchParams" in input))
    return { options: input, callback };
  const given = typeof second === "function" ? {} : second;
  return { options: { ...urlToHttpOptions(new URL(input)), ...given }, callback };
}

function originOf({ hostname, host, port, defaultPort, path }: RequestOptions, scheme: string): string {
  // In a request to a proxy, the path is a whole address.
  if (/^https?:\/\//.test(path ?? "")) return new URL(path ?? "").origin;
  const name = hostname ?? host ?? "localhost";
  const isIpv6 = name.includes(":") && !name.startsWith("[");
  const ownPort = port ?? defaultPort;
  return new URL(`${scheme}//${isIpv6 ? `[${name}]` : name}${ownPort ? `:${ownPort}` : ""}`).origin;
}

function withHeaders(headers: RequestOptions["headers"], added: Taken["headers"]) {
  // Headers in an array alternate between names and values.
  return Array.isArray(headers) ? [...headers, ...Object.entries(added).flat()] : { ...headers, ...added };
}
