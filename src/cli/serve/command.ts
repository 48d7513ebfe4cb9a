import { readFileSync } from "node:fs";
import { SaasManagementClient } from "../../client.js";
import { isLoopback } from "../../core/endpoint.js";
import { openServer, type ReferenceServer } from "../../reference-server/server.js";
import { TestClock } from "../../reference-server/test-clock.js";
import type { Io } from "../io.js";
import { type Options, UsageError } from "../options.js";
import { messageOf } from "../problem.js";
import { demoInstallations, demoPortfolio } from "./demo.js";
import { envFileOf, writeEnvFile } from "./env-file.js";

type ServerOptions = NonNullable<Parameters<typeof openServer>[0]>;

/** Serves until a signal stops it. */
export async function run(_: readonly string[], options: Options, io: Io): Promise<void> {
  const { demo, host, port, syncPort, writeEnv } = options;
  await using server = await serve({ host, port, syncPort, tls: tlsIdentity(options) }, demo === true);
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const settings = { baseUrl, syncUrl, apiKey, installationId };
  const removeEnvFile = writeEnv === undefined ? undefined : writeEnvFile(writeEnv, settings);
  if (writeEnv === undefined || io.json) io.data(settings, () => envFileOf(settings).trimEnd());
  if (host !== undefined && !isLoopback(host)) io.warn(`other machines may reach this server at ${host}.`);
  const place = writeEnv === undefined ? "" : ` The settings are in ${writeEnv}.`;
  io.note(`Serving at ${baseUrl}/graphql and ${syncUrl} until Ctrl+C.${place}`);
  await new Promise<void>((stop) => io.signal.addEventListener("abort", () => stop(), { once: true }));
  removeEnvFile?.();
}

/** Starts the reference server, with the demo company in it. @throws {UsageError} it cannot start with these options */
export async function serve(options: ServerOptions, isDemo: boolean): Promise<ReferenceServer> {
  const clock = new TestClock();
  const portfolio = isDemo ? demoPortfolio(clock.now()) : undefined;
  try {
    return await openServer({ ...options, clock, portfolio }, isDemo ? loadDemo : undefined);
  } catch (error) {
    // An invalid option, a port in use, an address of another machine.
    const isUsage = error instanceof TypeError || (error instanceof Error && "syscall" in error);
    if (!isUsage) throw error;
    const isTaken = "code" in error && error.code === "EADDRINUSE";
    const advice = isTaken ? ". Choose another port, or leave out the option for a free one." : "";
    throw new UsageError(messageOf(error) + advice);
  }
}

function tlsIdentity({ tlsCert, tlsKey }: Options): ServerOptions["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError("--tls-cert and --tls-key must be given together.");
  return { cert: readText("--tls-cert", tlsCert), key: readText("--tls-key", tlsKey) };
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${option} ${file}: ${messageOf(error)}.`);
  }
}

/** Pushes the demo company. The default installation stays empty, for the first runs of examples. */
async function loadDemo({ syncUrl, apiKey, clock, createInstallation }: ReferenceServer): Promise<void> {
  await using client = new SaasManagementClient({ syncUrl, apiKey });
  for (const { integration, write } of demoInstallations(clock.now())) {
    const batch = await client.sync.startBatch({ installationId: createInstallation({ integration }) });
    await write(batch);
    await batch.complete();
  }
}
