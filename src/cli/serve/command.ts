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

/** Serves until a signal stops it. */
export async function run(_: readonly string[], options: Options, io: Io): Promise<void> {
  const { host, writeEnv } = options;
  await using server = await serve(options);
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

/** Starts the reference server. @throws {UsageError} the server cannot start with these options */
export async function serve(options: Options): Promise<ReferenceServer> {
  const { demo, host, port, syncPort, tlsCert, tlsKey } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError("--tls-cert and --tls-key must be given together.");
  const clock = new TestClock();
  const portfolio = demo ? demoPortfolio(clock.now()) : undefined;
  try {
    const [cert, key] = [tlsCert, tlsKey].map((file) =>
      file === undefined ? file : readFileSync(file, "utf8"),
    );
    const tls = cert === undefined || key === undefined ? undefined : { cert, key };
    return await openServer({ host, port, syncPort, tls, clock, portfolio }, demo ? loadDemo : undefined);
  } catch (error) {
    // Causes: an invalid option, a file that can't be read, a port in use, or an address of another machine.
    const isUsage = error instanceof TypeError || (error instanceof Error && "syscall" in error);
    if (!isUsage) throw error;
    const isTaken = "code" in error && error.code === "EADDRINUSE";
    const advice = isTaken ? ". Choose another port, or leave out the option for a free one." : "";
    throw new UsageError(messageOf(error) + advice);
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
