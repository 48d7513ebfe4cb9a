import { resolve } from "node:path";
import type { Command } from "commander";
import { type ClientOptions, SaasManagementClient } from "../../client.js";
import { AuthenticationError, ConfigurationError } from "../../core/errors/index.js";
import type { Logger } from "../../core/hooks.js";
import { fileLedger, type Ledger } from "../../sync/ledger/ledger.js";
import type { CliConfig } from "../config/cli-config.js";
import { type ConfigFile, readConfig } from "../config/config-file.js";
import type { Io } from "../io.js";
import { type CliCredential, keyFromCommand, keyFromFile, keyFromSettings } from "./credential.js";
import { profilePath, readProfile, type Settings, settingsOf } from "./profile.js";

/** Options of commands that reach the service. */
export interface ConnectionOptions {
  readonly profile?: string;
  readonly apiKeyFile?: string;
  readonly config?: string;
  readonly installation?: string;
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option("--installation <id>", "installation that is meant (SAAS_MANAGEMENT_INSTALLATION_ID)")
    .option("--profile <name>", "read ~/.config/saas-management/<name>.env (default: default)")
    .option("--api-key-file <file>", "read the API key from a file; - is stdin")
    .option("--config <file>", "read this configuration (default: saas-management.config.ts, .js or .json)");
}

/** What the options, the environment, the configuration and a profile say together. */
export interface Connection extends ConfigFile {
  readonly baseUrl: string | undefined;
  readonly syncUrl: string | undefined;
  readonly installationId: string | undefined;
  /** Undefined if there is none. */
  readonly credential: CliCredential | undefined;
  readonly ledger: Ledger | "none";
}

const DEFAULT_PROFILE = "default";

/**
 * Finds out whom to reach, and with which key. Options win over the environment, that over the configuration, and that
 * over the default profile.
 * @throws {ConfigurationError} a file cannot be read or has mistakes
 */
export async function resolveConnection(options: ConnectionOptions): Promise<Connection> {
  const file = await readConfig(options.config);
  const { config, directory } = file;
  const named = options.profile === undefined ? {} : await readProfile(options.profile);
  if (named === undefined)
    throw new ConfigurationError(`There is no profile ${profilePath(options.profile ?? "")}.`);
  const own = settingsOf(process.env);
  const rest = options.profile === undefined ? ((await readProfile(DEFAULT_PROFILE)) ?? {}) : {};
  const { sync = {} } = config;
  return {
    ...file,
    baseUrl: named.BASE_URL ?? own.BASE_URL ?? config.baseUrl ?? rest.BASE_URL,
    syncUrl: named.SYNC_URL ?? own.SYNC_URL ?? config.syncUrl ?? rest.SYNC_URL,
    installationId:
      options.installation ??
      named.INSTALLATION_ID ??
      own.INSTALLATION_ID ??
      sync.installationId ??
      rest.INSTALLATION_ID,
    credential: await credentialOf(options, config, { named, own, rest }),
    ledger:
      sync.ledger ?? fileLedger(config.ledger === undefined ? undefined : resolve(directory, config.ledger)),
  };
}

async function credentialOf(
  { apiKeyFile, profile = DEFAULT_PROFILE }: ConnectionOptions,
  { apiKey, authorization, credentialCommand }: CliConfig,
  { named, own, rest }: { readonly named: Settings; readonly own: Settings; readonly rest: Settings },
): Promise<CliCredential | undefined> {
  const ways = { apiKey, authorization, credentialCommand };
  const configured = Object.entries(ways).filter(([, way]) => way !== undefined);
  if (configured.length > 1)
    throw new ConfigurationError(
      `The configuration sets ${configured.map(([name]) => name).join(" and ")}: keep one of them.`,
    );
  if (apiKeyFile !== undefined) return keyFromFile(apiKeyFile);
  if (named.API_KEY !== undefined) return keyFromSettings(`profile ${profile}`, named.API_KEY);
  if (own.API_KEY !== undefined) return keyFromSettings("SAAS_MANAGEMENT_API_KEY", own.API_KEY);
  if (credentialCommand !== undefined) return keyFromCommand(credentialCommand);
  if (typeof apiKey === "function")
    return { source: "apiKey of the configuration", apiKey: async () => apiKey() };
  if (authorization !== undefined) return { source: "authorization of the configuration", apiKey: undefined };
  if (rest.API_KEY !== undefined) return keyFromSettings(`profile ${profile}`, rest.API_KEY);
  return undefined;
}

/** Makes the client that the options ask for. */
export async function connect(options: ConnectionOptions, io: Io): Promise<SaasManagementClient> {
  return openClient(await resolveConnection(options), io);
}

/** Makes a client for a connection. Its warnings go to stderr, unless the configuration has a logger. */
export function openClient(connection: Connection, io: Io): SaasManagementClient {
  const { baseUrl, syncUrl, installationId, credential, ledger, config } = connection;
  const { credentialCommand: _, ledger: _directory, push: _push, ...given } = config;
  const { authorization, ...rest } = given;
  const options: ClientOptions = {
    logger: loggerOf(io),
    ...rest,
    baseUrl,
    syncUrl,
    apiKey: credential?.apiKey && guarded(credential.apiKey, io),
    authorization: credential?.apiKey === undefined ? authorization : undefined,
    sync: { ...config.sync, installationId, ledger },
  };
  return new SaasManagementClient(options);
}

/** Keeps the key out of everything that is written. */
function guarded(apiKey: () => Promise<string>, io: Io): () => Promise<string> {
  return async () => {
    const key = await apiKey();
    if (key === "") throw new AuthenticationError("The API key is empty.");
    io.addSecret(key);
    return key;
  };
}

function loggerOf(io: Io): Logger {
  const warn = (message: string, details?: object) => {
    const error: unknown = details === undefined ? undefined : Reflect.get(details, "error");
    const why = error instanceof Error ? `: ${error.message}` : "";
    io.warn(`${message.replace(/^saas-management: /, "")}${why}`);
  };
  return { debug: () => {}, info: () => {}, warn, error: warn };
}
