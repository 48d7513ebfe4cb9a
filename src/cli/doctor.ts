import { randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { connect } from "node:net";
import type { SaasManagementClient } from "../client.js";
import { raceAbort } from "../core/abort.js";
import { parseUrl } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import { VERSION } from "../core/version.js";
import { resolveProxy } from "../node/proxy.js";
import { connectionOptions } from "../node/tls.js";
import { STALE_MS } from "../runs/ledger/journal-entries.js";
import { hasEnded } from "../sync/call.js";
import { type Connection, openClient, resolveConnection } from "./connect.js";
import { EXIT, nextOf } from "./exit-codes.js";
import { forTerminal, type Io } from "./io.js";
import { ledgerOf } from "./ledger.js";
import type { Options } from "./options.js";
import { messageOf, reasonsOf } from "./problem.js";

/** The result of a check; `skipped` if it doesn't apply. */
type Finding = { readonly state: "ok" | "skipped"; readonly text: string };
type Look = (signal: AbortSignal) => Promise<Finding>;

const CHECK_MS = 15_000;
const MAX_SKEW_MS = 60_000;
const MARKS = { ok: "ok     ", problem: "PROBLEM", skipped: "skipped" } as const;

const ok = (text: string): Finding => ({ state: "ok", text });
const skipped = (text: string): Finding => ({ state: "skipped", text });

/** Checks everything that a run needs, and changes nothing. */
export async function run(_: readonly string[], options: Options, io: Io): Promise<void> {
  const checks: { name: string; state: keyof typeof MARKS; text: string }[] = [];
  let exit: number | undefined;
  const check = async (name: string, look: Look) => {
    const { error, ...finding } = await lookAt(look, io.signal);
    const code = nextOf(error).exitCode;
    // Errors other than the SDK's come from the network or a disk.
    if (finding.state === "problem") exit ??= code === EXIT.unexpected ? EXIT.unavailable : code;
    checks.push({ name, ...finding });
    const line = `${MARKS[finding.state]}  ${name.padEnd(15)}${finding.text}`;
    if (!io.json) io.write(`${forTerminal(line, process.stdout)}\n`);
  };
  io.finishes = true;
  const resolved = resolveConnection(options);
  await check("configuration", async () => {
    const { path = "no file", credential } = await resolved;
    return ok(`${path}; key: ${credential?.source ?? "none"}; SDK ${VERSION}, Node ${process.versions.node}`);
  });
  const connection = await resolved.catch(() => undefined);
  if (connection !== undefined) await checkAll(connection, io, check);
  process.exitCode = exit;
  const problems = checks.filter(({ state }) => state === "problem").length;
  io.data({ ok: problems === 0, checks }, () =>
    problems === 0 ? "All is well." : `${problems} of ${checks.length} need attention.`,
  );
}

async function checkAll(
  connection: Connection,
  io: Io,
  check: (name: string, look: Look) => Promise<void>,
): Promise<void> {
  const { baseUrl, syncUrl, installationId } = connection;
  await check("proxy", (signal) => checkProxy(connection, signal));
  await check("clock", (signal) => checkClock(connection, signal));
  let client: SaasManagementClient | undefined;
  const opened = () => {
    client ??= openClient({ ...connection, config: { ...connection.config, retry: false } }, io);
    return client;
  };
  await check("GraphQL API", async (signal) => {
    if (baseUrl === undefined) return skipped("SAAS_MANAGEMENT_BASE_URL is not set; runs do not need it");
    const plans = opened().graphql.licensePlans({ signal });
    // Request a page of the size that other commands use, because a service may refuse that size.
    const { totalCount } = await plans.firstPage();
    return ok(`reads the workspace (${totalCount} license plans)`);
  });
  await check("Sync API", async () => {
    // The service checks the key first, and no lock is taken.
    const aborted = opened().sync.abortBatch(randomUUID());
    await aborted.catch((error: unknown) => {
      if (!hasEnded(error)) throw error;
    });
    return ok("may sync (tested by aborting a batch that doesn't exist; no lock was taken)");
  });
  await client?.close();
  await check("installation", async () => {
    if (installationId !== undefined) return ok(`${installationId}; the first run shows whether it exists`);
    throw new ConfigurationError("None is set: use SAAS_MANAGEMENT_INSTALLATION_ID or --installation ID.");
  });
  if (connection.ledger === "none" || syncUrl === undefined || installationId === undefined) return;
  await check("ledger", async () => {
    const { location, probe } = ledgerOf(connection);
    await probe();
    return ok(`${location} can be written`);
  });
  await check("lock", async () => {
    const open = await ledgerOf(connection).openBatch();
    if (open === undefined) return ok("no run of this ledger is in progress");
    const silentMs = Date.now() - open.heartbeat;
    const silent = `last heartbeat ${Math.round(silentMs / 1000)} s ago`;
    const text = `batch ${open.batchId} of process ${open.owner} (${silent})`;
    const isDead = open.isGone || silentMs >= STALE_MS;
    return ok(isDead ? `${text}: considered dead, so the next run aborts it` : `${text} is in progress`);
  });
}

/** Checks one thing. An error in the check is reported as a problem. */
async function lookAt(look: Look, signal: AbortSignal) {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
  try {
    return { error: undefined, ...(await raceAbort(look(ended), ended)) };
  } catch (error) {
    signal.throwIfAborted();
    const reasons = ended.aborted ? ["no answer within 15 seconds"] : [messageOf(error), ...reasonsOf(error)];
    return { error, state: "problem" as const, text: reasons.join(" ") };
  }
}

/** Connects to the Sync API's proxy or, without a `syncUrl`, to the GraphQL API's. Never shows the proxy's user. */
async function checkProxy({ baseUrl, syncUrl, config }: Connection, signal: AbortSignal): Promise<Finding> {
  const address = parseUrl(syncUrl) ?? parseUrl(baseUrl);
  const proxy = address && resolveProxy(config.proxy, syncUrl === undefined ? "baseUrl" : "syncUrl", address);
  if (proxy === undefined) return skipped("none: neither the proxy option nor HTTPS_PROXY applies");
  const { hostname, port, protocol } = new URL(proxy.origin);
  const socket = connect({ host: hostname, port: Number(port || (protocol === "https:" ? 443 : 80)) });
  try {
    await once(socket, "connect", { signal });
    return ok(`${proxy} accepts connections`);
  } catch (cause) {
    throw new Error(`${proxy} cannot be reached.`, { cause });
  } finally {
    socket.destroy();
  }
}

/** Compares this machine's clock, on which leases and approvals depend, with that of the service. */
async function checkClock({ baseUrl, config }: Connection, signal: AbortSignal): Promise<Finding> {
  const url = parseUrl(baseUrl);
  if (url === undefined || resolveProxy(config.proxy, "baseUrl", url) !== undefined)
    return skipped("can be compared with the GraphQL API only, and not through a proxy");
  const { request } = url.protocol === "https:" ? https : http;
  const options = { method: "HEAD", signal, ...connectionOptions(config.tls) };
  const [response] = await once(request(url, options).end(), "response");
  response.resume();
  const skew = Date.now() - Date.parse(String(response.headers.date));
  if (Number.isNaN(skew)) return skipped("the service sends no date");
  if (Math.abs(skew) < MAX_SKEW_MS) return ok("agrees with the service");
  const found = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} that of the service`;
  throw new ConfigurationError(`${found}. Synchronize it, for example with systemd-timesyncd or chrony.`);
}
