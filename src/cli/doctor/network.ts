import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ClientOptions } from "../../client.js";
import { connectionOptions } from "../../node/tls.js";
import { bad, ok, skipped } from "./check.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 14;
const MAX_SKEW_MS = 60_000;

/** How the client reaches an endpoint. */
type Route = Pick<ClientOptions, "tls" | "proxy">;

/** Looks for the host of an address. */
export async function checkDns({ hostname }: URL, proxy: string | undefined) {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (proxy !== undefined) return skipped("the proxy looks for it");
  if (isIP(host) !== 0) return ok(`${host} is an address`);
  const found = await lookup(host, { all: true });
  return ok(`${host} is ${found.map(({ address }) => address).join(", ")}`);
}

/** Connects to the proxy. Never names its user. */
export async function checkProxy(proxy: string | undefined, signal: AbortSignal) {
  const named = Object.keys(process.env).find((name) => /^https?_proxy$/i.test(name));
  if (proxy === undefined && named !== undefined)
    return skipped(`none is configured; ${named} is not used: set proxy in the configuration`);
  if (proxy === undefined) return skipped("none is configured");
  const { hostname, port, protocol, host } = new URL(proxy);
  const socket = connect({ host: hostname, port: Number(port || (protocol === "https:" ? 443 : 80)) });
  try {
    await once(socket, "connect", { signal });
    return ok(`${host} accepts connections`);
  } finally {
    socket.destroy();
  }
}

/** Looks at the certificate of an endpoint as a client does. */
export async function checkTls(url: URL, { tls, proxy }: Route, signal: AbortSignal) {
  if (url.protocol === "http:") return skipped("http:// has none; it is for this machine only");
  if (proxy !== undefined) return skipped("not looked at through a proxy; see the API key");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = connectTls({
    host,
    port: Number(url.port || 443),
    ...servername,
    ...connectionOptions(tls),
  });
  try {
    await once(socket, "secureConnect", { signal });
    const { valid_to: validTo, issuer } = socket.getPeerCertificate();
    const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
    const text = `${socket.getProtocol()}, signed by ${issuer.O ?? issuer.CN ?? "itself"}, valid for ${days} days`;
    return days < SOON_DAYS ? bad(text, "Its operator should renew it.") : ok(text);
  } finally {
    socket.destroy();
  }
}

/** Compares the clock of this machine with that of the service. Leases and approvals depend on it. */
export async function checkClock(url: URL, { tls, proxy }: Route, signal: AbortSignal) {
  if (proxy !== undefined) return skipped("not compared through a proxy");
  const request =
    url.protocol === "https:"
      ? httpsRequest(url, { method: "HEAD", signal, ...connectionOptions(tls) })
      : httpRequest(url, { method: "HEAD", signal });
  const [response] = await once(request.end(), "response");
  response.resume();
  const date = Date.parse(String(response.headers.date));
  if (Number.isNaN(date)) return skipped("the service does not tell its time");
  const skew = Date.now() - date;
  // The header has whole seconds.
  if (Math.abs(skew) < MAX_SKEW_MS) return ok("agrees with that of the service");
  const text = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} that of the service`;
  return bad(text, "Synchronize it, for example with systemd-timesyncd or chrony.");
}
