#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isLoopback } from "../core/endpoint.js";
import { VERSION } from "../core/options.js";
import { escapeControls } from "../core/redact.js";
import type { Portfolio, ReferenceServer, ReferenceServerOptions } from "../reference-server/index.js";
import { parsePortfolio } from "../reference-server/portfolio-file.js";

const USAGE = `Usage: saas-management serve [options]

Starts the reference server: the GraphQL API and the Sync API of the SaaS Management Service, in memory, to test
integrations against. It stops at Ctrl+C, and everything in it is gone then.

Options:
  --port <number>        port of the GraphQL API (default: a free one)
  --sync-port <number>   port of the Sync API (default: a free one)
  --host <address>       address to listen on (default: 127.0.0.1, which other machines cannot reach)
  --portfolio <file>     JSON file with applications, prices and contracts of the workspace
  --tls-cert <file>      certificate in PEM: serves both APIs over TLS, together with --tls-key
  --tls-key <file>       private key of the certificate, in PEM
  -h, --help             show this
  -v, --version          show the version
`;

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Letters of an argument that a message repeats. */
const MOST_SHOWN = 100;

/** The command line cannot be carried out as it was written. */
class UsageError extends Error {}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help === true) return print(USAGE);
  if (values.version === true) return print(`${VERSION}\n`);
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError("There is no command.");
  if (command !== "serve") throw new UsageError(`There is no command "${shortened(command)}".`);
  if (rest.length > 0) throw new UsageError(`Too many arguments: "${shortened(rest.join(" "))}".`);
  await serve({
    port: portNumber("--port", values.port),
    syncPort: portNumber("--sync-port", values["sync-port"]),
    host: values.host,
    tls: tlsIdentity(values["tls-cert"], values["tls-key"]),
    portfolio: values.portfolio === undefined ? undefined : readPortfolio(values.portfolio),
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

/** Node's text in one line, without its advice on arguments that begin with a dash: no command takes any. */
function problemOf(text: string): string {
  const [problem = ""] = text.split(/\. To specify a positional argument /);
  const line = problem.replaceAll(/([.?])\n(?=[A-Z])/g, "$1 ");
  return /[.?]$/.test(line) ? line : `${shortened(line)}.`;
}

async function serve(options: ReferenceServerOptions): Promise<void> {
  // Loaded here only, so that help and complaints do not wait for it.
  const { startReferenceServer } = await import("../reference-server/index.js");
  const server = await startReferenceServer(options).catch((error: unknown) => {
    // Only what is wrong with the options is a TypeError; a port that is taken is not.
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
  // All of it can be an environment file: an equals sign in a line without "#" would be taken for a variable's.
  return `# GraphQL API      ${baseUrl}/graphql
# Sync API         ${syncUrl}
# API key          ${apiKey}
# Installation id  ${installationId}
#
# The key and all data are gone when the server stops (Ctrl+C). As an environment file (node --env-file), for fromEnv()
# and the examples of the README:

SAAS_MANAGEMENT_BASE_URL=${baseUrl}
SAAS_MANAGEMENT_SYNC_URL=${syncUrl}
SAAS_MANAGEMENT_API_KEY=${apiKey}
INSTALLATION_ID=${installationId}
`;
}

function portNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`${option} must be a port number from 0 to 65535.`);
}

function tlsIdentity(cert: string | undefined, key: string | undefined): ReferenceServerOptions["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new UsageError("--tls-cert and --tls-key must be given together.");
  }
  return { cert: readText("--tls-cert", cert), key: readText("--tls-key", key) };
}

function readPortfolio(file: string): Portfolio {
  const text = readText("--portfolio", file);
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
    throw new UsageError(`${option} ${file} cannot be read: ${messageOf(error)}.`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An argument as a message can hold it. */
function shortened(argument: string): string {
  return argument.length > MOST_SHOWN ? `${argument.slice(0, MOST_SHOWN)}…` : argument;
}

function print(text: string): void {
  process.stdout.write(text);
}

function complain(text: string): void {
  process.stderr.write(`saas-management: ${escapeControls(text)}\n`);
}

// Into a pipe whose reader has gone, or on a full disk. Nobody would learn where the server is.
process.stdout.once("error", (error) => {
  complain(`the output cannot be written: ${error.message}`);
  process.exit(EXIT_FAILURE);
});
// There is nowhere to say that a complaint cannot be written.
process.stderr.on("error", () => {});

main(process.argv.slice(2)).catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  complain(messageOf(error));
  if (isUsage) process.stderr.write('Try "saas-management --help".\n');
  process.exitCode = isUsage ? EXIT_USAGE : EXIT_FAILURE;
});
