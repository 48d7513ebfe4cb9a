#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isLoopback } from "../core/endpoint.js";
import { VERSION } from "../core/options.js";
import { escapeControls } from "../core/redact.js";
import type { Portfolio } from "../reference-server/portfolio.js";
import type { ReferenceServer, startReferenceServer } from "../reference-server/server.js";

type ServerOptions = NonNullable<Parameters<typeof startReferenceServer>[0]>;

const USAGE = `Usage: saas-management serve [options]

Starts the reference server: the GraphQL API and the Sync API of the SaaS Management Service, in memory, to test
integrations against. Ctrl+C stops it and discards all data.

Options:
  --port <number>        port of the GraphQL API (default: a free one)
  --sync-port <number>   port of the Sync API (default: a free one)
  --host <address>       address to listen on (default: 127.0.0.1, which other machines cannot reach)
  --portfolio <file>     JSON file with applications, prices and contracts of the workspace
  --cors <origin>        origin of pages that may use the GraphQL API; may be repeated
  --tls-cert <file>      certificate in PEM: serves both APIs over TLS, together with --tls-key
  --tls-key <file>       private key of the certificate, in PEM
  -h, --help             show this
  -v, --version          show the version
`;

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

const MAX_QUOTED = 100;

class UsageError extends Error {}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help === true) return print(USAGE);
  if (values.version === true) return print(`${VERSION}\n`);
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError("A command is missing.");
  if (command !== "serve") throw new UsageError(`Unknown command "${shorten(command)}".`);
  if (rest.length > 0) throw new UsageError(`Too many arguments: "${shorten(rest.join(" "))}".`);
  await serve({
    port: portNumber("--port", values.port),
    syncPort: portNumber("--sync-port", values["sync-port"]),
    host: values.host,
    cors: values.cors,
    tls: tlsIdentity(values["tls-cert"], values["tls-key"]),
    portfolio: values.portfolio === undefined ? undefined : await readPortfolio(values.portfolio),
  });
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        port: { type: "string" },
        "sync-port": { type: "string" },
        host: { type: "string" },
        portfolio: { type: "string" },
        cors: { type: "string", multiple: true },
        "tls-cert": { type: "string" },
        "tls-key": { type: "string" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    throw new UsageError(problemOf(messageOf(error)));
  }
}

/** Node's message in one line, without its advice on dashes. */
function problemOf(text: string): string {
  const [problem = ""] = text.split(/\. To specify a positional argument /);
  const line = problem.replaceAll(/([.?])\n(?=[A-Z])/g, "$1 ");
  return /[.?]$/.test(line) ? line : `${shorten(line)}.`;
}

async function serve(options: ServerOptions): Promise<void> {
  // Loaded late, so that help and usage errors are quick.
  const { startReferenceServer } = await import("../reference-server/server.js");
  const server = await startReferenceServer(options).catch((error: unknown) => {
    // Invalid options are a TypeError, a port in use is not.
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  });
  const stop = (): void => void server.close();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  print(describe(server));
  if (options.host !== undefined && !isLoopback(options.host)) {
    process.stderr.write(`Warning: other machines may reach this server at ${options.host}.\n`);
  }
}

function describe({ baseUrl, syncUrl, apiKey, installationId }: ReferenceServer): string {
  // The whole output is a valid environment file.
  return `# GraphQL API      ${baseUrl}/graphql
# Sync API         ${syncUrl}
# API key          ${apiKey}
# Installation id  ${installationId}
#
# The key and all data are discarded when the server stops (Ctrl+C). This output is an environment file
# (node --env-file) for fromEnv() and the examples of the README:

SAAS_MANAGEMENT_BASE_URL=${baseUrl}
SAAS_MANAGEMENT_SYNC_URL=${syncUrl}
SAAS_MANAGEMENT_API_KEY=${apiKey}
SAAS_MANAGEMENT_INSTALLATION_ID=${installationId}
`;
}

function portNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`${option} must be a port number from 0 to 65535.`);
}

function tlsIdentity(cert: string | undefined, key: string | undefined): ServerOptions["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new UsageError("--tls-cert and --tls-key must be given together.");
  }
  return { cert: readText("--tls-cert", cert), key: readText("--tls-key", key) };
}

async function readPortfolio(file: string): Promise<Portfolio> {
  const text = readText("--portfolio", file);
  const { parsePortfolio } = await import("../reference-server/portfolio.js");
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shorten(argument: string): string {
  return argument.length > MAX_QUOTED ? `${argument.slice(0, MAX_QUOTED)}…` : argument;
}

function print(text: string): void {
  process.stdout.write(text);
}

function complain(text: string): void {
  process.stderr.write(`saas-management: ${escapeControls(text)}\n`);
}

// The reader of the pipe is gone, or the disk is full: nobody would learn the addresses of the server.
process.stdout.once("error", (error) => {
  complain(`cannot write the output: ${error.message}`);
  process.exit(EXIT_FAILURE);
});
// There is nowhere to report that stderr cannot be written.
process.stderr.on("error", () => {});

main(process.argv.slice(2)).catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  complain(messageOf(error));
  if (isUsage) process.stderr.write('Try "saas-management --help".\n');
  process.exitCode = isUsage ? EXIT_USAGE : EXIT_FAILURE;
});
