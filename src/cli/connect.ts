import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type ClientOptions, SaasManagementClient } from "../client.js";
import type { Logger } from "../core/hooks.js";
import { isObject } from "../core/validate.js";
import { environmentKey, type KeySource, keyIn, keyInFile, variable } from "../node/environment.js";
import { fileLedger } from "../runs/ledger/ledger.js";
import { type ConfigFile, readConfig } from "./config.js";
import type { Io } from "./io.js";
import { type Options, UsageError } from "./options.js";
import { messageOf } from "./problem.js";

/** `doctor` shows where the key comes from, never the key. */
interface Credential extends Omit<KeySource, "apiKey"> {
  /** Undefined if the configuration's `authorization` is used. */
  readonly apiKey: KeySource["apiKey"] | undefined;
}

/** Details that printed log lines omit, because the person who ran the command already knows them. */
const OBVIOUS: ReadonlySet<string> = new Set(["type", "api", "operation", "installationId"]);

/** The settings from options, environment and configuration. */
export type Connection = Awaited<ReturnType<typeof resolveConnection>>;

/**
 * Finds the endpoints and the key. Options override the environment, which overrides the configuration.
 * @throws {ConfigurationError} a file cannot be read or has mistakes
 */
export async function resolveConnection(options: Options) {
  const file = await readConfig(options.config);
  const { config, directory } = file;
  const { sync = {} } = config;
  return {
    ...file,
    baseUrl: variable("BASE_URL") ?? config.baseUrl,
    syncUrl: variable("SYNC_URL") ?? config.syncUrl,
    installationId: options.installation ?? variable("INSTALLATION_ID") ?? sync.installationId,
    credential: await credentialOf(options, config),
    pageSize: options.pageSize ?? config.pageSize,
    /** Undefined for the default ledger: it's opened only if needed, because some users have no home directory. */
    ledger: sync.ledger ?? (config.ledger ? fileLedger(resolve(directory, config.ledger)) : undefined),
  };
}

async function credentialOf(
  { apiKeyFile }: Options,
  { apiKey, authorization }: ConfigFile["config"],
): Promise<Credential | undefined> {
  if (apiKeyFile === "-") return pipedKey();
  const given = apiKeyFile === undefined ? environmentKey() : keyInFile(apiKeyFile, "--api-key-file");
  if (given !== undefined) return given;
  if (apiKey !== undefined) return { source: "apiKey of the configuration", apiKey };
  return authorization && { source: "authorization of the configuration", apiKey: undefined };
}

/** Reads the key from stdin, once. */
async function pipedKey(): Promise<KeySource> {
  const source = "--api-key-file -";
  if (process.stdin.isTTY === true) throw new UsageError(`${source} needs a pipe on stdin.`);
  return { source, apiKey: keyIn(await buffer(process.stdin), source) };
}

/** Makes the client that the options ask for. */
export async function connect(options: Options, io: Io): Promise<SaasManagementClient> {
  return openClient(await resolveConnection(options), io);
}

/** Makes a client for a connection. The client's warnings go to stderr, unless the configuration has a logger. */
export function openClient(connection: Connection, io: Io): SaasManagementClient {
  const { baseUrl, syncUrl, installationId, credential, ledger, pageSize, config } = connection;
  io.installationId = installationId;
  const { ledger: _directory, push: _push, authorization, ...rest } = config;
  const options: ClientOptions = {
    logger: loggerOf(io),
    ...rest,
    baseUrl,
    syncUrl,
    pageSize,
    apiKey: credential?.apiKey && guarded(credential.apiKey, io),
    authorization: credential?.apiKey === undefined ? authorization : undefined,
    sync: { ...config.sync, installationId, ledger },
  };
  return new SaasManagementClient(options);
}

/** Keeps the key out of all output. */
function guarded(apiKey: KeySource["apiKey"], io: Io): () => Promise<string> {
  return async () => {
    const key = typeof apiKey === "string" ? apiKey : await apiKey();
    io.addSecret(key);
    return key;
  };
}

function loggerOf(io: Io): Logger {
  let isAway = false;
  const at =
    (level: Parameters<Io["log"]>[0]) =>
    (said: string, details: object = {}) => {
      if (!io.verbose && (level === "debug" || level === "info")) return;
      const isOutage = said.includes(": the service is unavailable");
      // Warn of an outage only once, because the progress line shows that it continues.
      if (isAway && !io.verbose && (isOutage || said.endsWith(": retrying"))) return;
      isAway ||= isOutage;
      // The command itself reports how the run ended.
      if (/: run (held|failed)$/.test(said)) return;
      const { error, ...facts }: { readonly error?: unknown } = details;
      const text = said.replace(/^saas-management: /, "");
      // The log line and the error's message both begin with the name of the call.
      const why = error === undefined ? "" : `: ${messageOf(error).replace(`${text.split(": ")[0]}: `, "")}`;
      const figures = Object.entries(facts)
        .filter(([name, value]) => !isObject(value) && !OBVIOUS.has(name))
        .map(([name, value]) => `${name} ${typeof value === "number" ? Math.round(value) : value}`)
        .join(", ");
      io.log(level, text + why, facts, `${text}${why}${figures === "" ? "" : ` (${figures})`}`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
