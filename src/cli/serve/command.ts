import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { isLoopback } from "../../core/endpoint.js";
import type { Portfolio } from "../../reference-server/portfolio.js";
import type { startReferenceServer } from "../../reference-server/server.js";
import { addExamples, UsageError } from "../command-module.js";
import type { Io } from "../io.js";
import { messageOf } from "../problem.js";
import type { Served } from "./serve-all.js";

type ServerOptions = NonNullable<Parameters<typeof startReferenceServer>[0]>;

interface ServeOptions {
  readonly port?: string;
  readonly syncPort?: string;
  readonly host?: string;
  readonly portfolio?: string;
  readonly demo?: boolean;
  readonly controlPort?: string;
  readonly cors?: string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export function define(command: Command, io: Io): void {
  addExamples(
    command,
    "saas-management serve --demo > .env",
    "saas-management serve --port 4000 --portfolio company.json --control-port 4001",
  );
  command
    .description(
      "Starts the reference server: the GraphQL API and the Sync API of the SaaS Management Service, in memory, to test integrations against. Ctrl+C stops it and discards all data.",
    )
    .option("--port <number>", "port of the GraphQL API (default: a free one)")
    .option("--sync-port <number>", "port of the Sync API (default: a free one)")
    .option(
      "--host <address>",
      "address to listen on (default: 127.0.0.1, which other machines cannot reach)",
    )
    .option("--portfolio <file>", "JSON file with applications, prices and contracts of the workspace")
    .option("--demo", "fill the workspace with the employees, licenses and contracts of a company")
    .option(
      "--control-port <number>",
      "port of the control API on 127.0.0.1, for tests: inspect, clock, faults and more (see its /openapi.json)",
    )
    .option(
      "--cors <origin>",
      "origin of pages that may use the GraphQL API; may be repeated",
      (origin: string, others: string[] = []) => [...others, origin],
    )
    .option("--tls-cert <file>", "certificate in PEM: serves both APIs over TLS, together with --tls-key")
    .option("--tls-key <file>", "private key of the certificate, in PEM")
    .action((options: ServeOptions) => serve(options, io));
}

async function serve(given: ServeOptions, io: Io): Promise<void> {
  if (given.demo === true && given.portfolio !== undefined)
    throw new UsageError("--demo has a portfolio of its own. Leave out one of --demo and --portfolio.");
  const controlPort = portNumber("--control-port", given.controlPort);
  const options: ServerOptions = {
    port: portNumber("--port", given.port),
    syncPort: portNumber("--sync-port", given.syncPort),
    host: given.host,
    cors: given.cors,
    tls: tlsIdentity(given.tlsCert, given.tlsKey),
    portfolio: given.portfolio === undefined ? undefined : await readPortfolio(given.portfolio),
  };
  // Loaded late, so that usage errors are quick.
  const { serveAll } = await import("./serve-all.js");
  const served = await serveAll(options, { demo: given.demo === true, controlPort }).catch(
    (error: unknown) => {
      // Invalid options are a TypeError, a port in use is not.
      throw error instanceof TypeError ? new UsageError(error.message) : error;
    },
  );
  const { baseUrl, syncUrl, apiKey, installationId } = served.server;
  const { controlUrl } = served;
  io.data({ baseUrl, syncUrl, apiKey, installationId, controlUrl }, () => describe(served));
  if (given.host !== undefined && !isLoopback(given.host))
    io.warn(`other machines may reach this server at ${given.host}.`);
  await new Promise<void>((stop) => io.signal.addEventListener("abort", () => stop(), { once: true }));
  await served.close();
}

function describe({ server, controlUrl }: Served): string {
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const control = controlUrl === undefined ? "" : `# Control API      ${controlUrl}/openapi.json\n`;
  // The whole output is a valid environment file.
  return `# GraphQL API      ${baseUrl}/graphql
# Sync API         ${syncUrl}
# API key          ${apiKey}
# Installation id  ${installationId}
${control}#
# In a browser: ${baseUrl}/graphql#key=${apiKey}
#
# The key and all data are discarded when the server stops (Ctrl+C). This output is an environment file
# (node --env-file) for fromEnv() and the examples of the README:

SAAS_MANAGEMENT_BASE_URL=${baseUrl}
SAAS_MANAGEMENT_SYNC_URL=${syncUrl}
SAAS_MANAGEMENT_API_KEY=${apiKey}
SAAS_MANAGEMENT_INSTALLATION_ID=${installationId}`;
}

function portNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`${option} must be a port number from 0 to 65535.`);
}

function tlsIdentity(cert: string | undefined, key: string | undefined): ServerOptions["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UsageError("--tls-cert and --tls-key must be given together.");
  return { cert: readText("--tls-cert", cert), key: readText("--tls-key", key) };
}

async function readPortfolio(file: string): Promise<Portfolio> {
  const text = readText("--portfolio", file);
  const { parsePortfolio } = await import("../../reference-server/portfolio.js");
  try {
    return parsePortfolio(text);
  } catch (error) {
    throw new UsageError(`--portfolio ${file}: ${messageOf(error)}`);
  }
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${option} ${file}: ${messageOf(error)}.`);
  }
}
