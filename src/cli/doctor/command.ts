import type { Command } from "commander";
import { ConfigurationError } from "../../core/errors/index.js";
import { VERSION } from "../../core/version.js";
import { addExamples } from "../command-module.js";
import {
  addConnectionOptions,
  type Connection,
  type ConnectionOptions,
  openClient,
  resolveConnection,
} from "../connection/connect.js";
import { EXIT, exitCodeOf } from "../exit-codes.js";
import type { Io } from "../io.js";
import { checkGraphQL, checkInstallation, checkSync } from "./access.js";
import { bad, type Check, type Finding, type Look, ok, runCheck, skipped } from "./check.js";
import { checkClock, checkDns, checkProxy, checkTls } from "./network.js";
import { checkLedger, checkLock, checkSpool } from "./storage.js";

interface DoctorOptions extends ConnectionOptions {
  readonly takeLock?: boolean;
}

const OLDEST_NODE = [20, 19] as const;
const MARKS = { ok: ["green", "ok     "], problem: ["red", "PROBLEM"], skipped: ["dim", "skipped"] } as const;

export function define(command: Command, io: Io): void {
  addExamples(command, "saas-management doctor", "saas-management doctor --profile production --take-lock");
  addConnectionOptions(
    command
      .description(
        "Looks at configuration, network, keys, clock, lock and disks: a line each, ok or what to do. Changes nothing.",
      )
      .option(
        "--take-lock",
        "also start a batch and abort it: shows that the installation exists and is free",
      ),
  ).action((options: DoctorOptions) => diagnose(options, io));
}

async function diagnose(options: DoctorOptions, io: Io): Promise<void> {
  const found: Finding[] = [];
  for await (const check of checks(options, io)) {
    const finding = await runCheck(check, io.signal);
    found.push(finding);
    if (!io.json) io.write(lineOf(finding, io));
  }
  const problems = found.filter(({ state }) => state === "problem");
  const text =
    problems.length === 0 ? "All is well." : `${problems.length} of ${found.length} need attention.`;
  const shown = found.map(({ error: _, ...rest }) => rest);
  io.data({ ok: problems.length === 0, checks: shown }, () => text);
  const [first] = problems;
  if (first !== undefined) process.exitCode = exitOf(first.error);
}

function exitOf(error: unknown): number {
  if (error === undefined) return EXIT.configuration;
  // Of the system: the address, the network, or a disk.
  const isOfSystem = error instanceof Error && "syscall" in error;
  return isOfSystem ? EXIT.unavailable : exitCodeOf(error);
}

function lineOf({ name, state, text, advice }: Finding, io: Io): string {
  const [color, mark] = MARKS[state];
  const what = advice === undefined ? "" : `\n${" ".repeat(34)}${io.style("bold", advice)}`;
  return `${io.style(color, mark)}  ${name.padEnd(25)}${text}${what}\n`;
}

/** Each check is made before the next one is asked for. */
async function* checks(options: DoctorOptions, io: Io): AsyncGenerator<Check, void, undefined> {
  yield ["versions", versions];
  let connection: Connection | undefined;
  const resolved: Look = async () => {
    connection = await resolveConnection(options);
    return ok(connection.path ?? "no file; options, environment and profile are used");
  };
  yield ["configuration", resolved];
  if (connection === undefined) return;
  const { baseUrl, syncUrl, credential, installationId, config, ledger } = connection;
  const { proxy } = config;
  yield ["proxy", (signal) => checkProxy(proxy, signal)];
  for (const [name, address] of [
    ["GraphQL API", baseUrl],
    ["Sync API", syncUrl],
  ] as const) {
    if (address === undefined || !URL.canParse(address)) {
      const why = address === undefined ? "its address is not set" : "its address is not a URL";
      yield [name, async () => skipped(why)];
      continue;
    }
    const url = new URL(address);
    yield [`${name} host`, () => checkDns(url, proxy)];
    yield [`${name} certificate`, (signal) => checkTls(url, config, signal)];
  }
  const known = baseUrl ?? syncUrl;
  if (known !== undefined && URL.canParse(known))
    yield ["clock", (signal) => checkClock(new URL(known), config, signal)];
  const provided: Look = async () => {
    if (credential === undefined)
      return bad("there is no API key", "Set SAAS_MANAGEMENT_API_KEY, a profile or --api-key-file.");
    await credential.apiKey?.();
    return ok(credential.source);
  };
  yield ["credential", provided];
  if (credential !== undefined) yield* accessChecks(connection, options, io);
  yield ["ledger", () => checkLedger(ledger)];
  yield ["temporary folder", () => checkSpool(config.sync?.spool)];
  const scope =
    syncUrl === undefined || installationId === undefined || !URL.canParse(syncUrl)
      ? undefined
      : { endpoint: new URL(syncUrl).origin, installationId };
  yield ["lock", () => checkLock(ledger, scope)];
}

async function* accessChecks(
  connection: Connection,
  { takeLock = false }: DoctorOptions,
  io: Io,
): AsyncGenerator<Check, void, undefined> {
  const { baseUrl, syncUrl, installationId } = connection;
  let client: ReturnType<typeof openClient>;
  try {
    client = openClient(connection, io);
  } catch (error) {
    return void (yield ["client", () => Promise.reject(error)]);
  }
  await using open = client;
  if (baseUrl !== undefined) yield ["GraphQL key", (signal) => checkGraphQL(open, signal)];
  if (syncUrl === undefined) return;
  yield ["Sync key", () => checkSync(open)];
  yield ["installation", (signal) => checkInstallation(open, installationId, takeLock, signal)];
}

async function versions() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const text = `SDK ${VERSION}, Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (isOld) throw new ConfigurationError(`${text}: Node ${OLDEST_NODE.join(".")} or newer is needed.`);
  return ok(text);
}
