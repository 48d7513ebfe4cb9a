/// <reference lib="esnext.disposable" preserve="true" />
import { missingCredential } from "./core/credential.js";
import { lacksPage, resolveEndpoint, type TlsOptions } from "./core/endpoint.js";
import { ConfigurationError } from "./core/errors/index.js";
import { COMMON_OPTIONS, type GraphQLOptions } from "./core/options.js";
import { FUNCTION, type OptionTable, readOptions } from "./core/validate.js";
import { GraphQLClient } from "./graphql/client.js";
import type { ContractReport } from "./graphql/contract-check.js";
import { environmentKey, variable } from "./node/environment.js";
import { environmentLogger } from "./node/environment-log.js";
import { type NodeFetch, openFetch } from "./node/fetch.js";
import { resolveProxy } from "./node/proxy.js";
import { resolveTls } from "./node/tls.js";
import type { SyncEngine } from "./runs/engine.js";
import { createSyncClient } from "./runs/engine.js";
import type { SyncClient, SyncDefaults } from "./runs/sync-client.js";

/** Options of a {@link SaasManagementClient}: one configuration for both APIs. */
export interface ClientOptions extends Omit<GraphQLOptions, "baseUrl"> {
  /**
   * Base URL of the GraphQL API, which is `POST {baseUrl}/graphql`; optional if only `sync` is used.
   * @default none: `graphql` cannot be used
   */
  readonly baseUrl?: string | undefined;
  /**
   * Endpoint of the Sync API (gRPC); optional if only `graphql` is used.
   * @default none: `sync` cannot be used
   */
  readonly syncUrl?: string | undefined;
  /**
   * For both APIs: which servers to trust, and the client's own certificate, in PEM.
   * @default the well-known authorities, no certificate
   */
  readonly tls?: TlsOptions | undefined;
  /**
   * Proxy that opens tunnels (`CONNECT`) to the service, as `http://user:password@proxy.example.com:3128`; user and
   * password are optional. The proxy is used for every host, including loopback; for an `http://` endpoint, the proxy
   * must be on this machine. A proxy with an `https://` URL works for GraphQL only.
   * @default the proxy in `HTTPS_PROXY` (or lower case), unless `NO_PROXY` lists the host, as in curl; none for
   *   loopback
   */
  readonly proxy?: string | undefined;
  /** Defaults for runs, batches and previews, and tuning of the Sync API. @default see each field */
  readonly sync?: SyncDefaults | undefined;
}

const CLIENT_OPTIONS = {
  ...COMMON_OPTIONS,
  tls: true,
  proxy: true,
  baseUrl: true,
  syncUrl: true,
  fetch: true,
  credentials: true,
  maxResponseBytes: true,
  pageSize: true,
  dangerouslyAllowBrowser: true,
  sync: true,
} satisfies OptionTable<ClientOptions>;

const SYNC_OPTIONS = {
  maxReceiveMessageBytes: true,
  maxSendMessageBytes: true,
  windowBytes: true,
  flushAfterMs: true,
  allowAnyEventTime: true,
  channelOptions: true,
  installationId: true,
  ledger: true,
  guard: true,
  onHeld: FUNCTION,
  spool: true,
} satisfies OptionTable<SyncDefaults>;

/**
 * The SaaS Management Service (service description, "Official client SDK behavior"): the GraphQL API reads and changes
 * a workspace's portfolio, the Sync API pushes the data of custom connectors. Each API is loaded and connected on first
 * use.
 *
 * @example
 * ```ts
 * await using client = SaasManagementClient.fromEnv();
 * for await (const { holder } of client.graphql.licenses()) {
 *   console.log(holder?.name);
 * }
 * ```
 */
export class SaasManagementClient {
  readonly #network: NodeFetch | undefined;
  readonly #graphql: GraphQLClient | undefined;
  readonly #sync: SyncEngine | undefined;
  readonly #lacksCredential: boolean;

  /**
   * @throws {ConfigurationError} an option is missing or not usable
   * @throws {AuthenticationError} there is neither a credential nor a `syncUrl` (previews work without a credential)
   */
  constructor(options: ClientOptions) {
    const given = readOptions("SaasManagementClient", options, CLIENT_OPTIONS, ConfigurationError);
    const { baseUrl, syncUrl, fetch, tls, proxy, sync = {}, ...others } = given;
    const common = { ...others, logger: others.logger ?? environmentLogger() };
    if (baseUrl === undefined && syncUrl === undefined) {
      const value = "SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_SYNC_URL";
      const text = `baseUrl for the GraphQL API, syncUrl for the Sync API, or both (${value} with fromEnv)`;
      throw new ConfigurationError(`Set ${text}.`, { advice: { option: "baseUrl", value, text } });
    }
    const defaults = readOptions("sync", sync, SYNC_OPTIONS, ConfigurationError);
    if (fetch !== undefined && (tls !== undefined || proxy !== undefined)) {
      const name = tls === undefined ? "proxy" : "tls";
      throw new ConfigurationError(`${name} has no effect if you pass fetch: set only one of the two.`);
    }
    if (fetch === undefined && baseUrl !== undefined && !lacksPage(baseUrl)) {
      const endpoint = resolveEndpoint("baseUrl", baseUrl, "path");
      const ownTls = resolveTls(tls, "baseUrl", endpoint);
      const ownProxy = resolveProxy(proxy, "baseUrl", endpoint);
      if (ownTls !== undefined || ownProxy !== undefined) this.#network = openFetch(ownTls, ownProxy);
    }
    this.#lacksCredential = common.apiKey === undefined && common.authorization === undefined;
    // Previews of the Sync API need no credential.
    if (baseUrl !== undefined && !(this.#lacksCredential && syncUrl !== undefined)) {
      this.#graphql = new GraphQLClient({ ...common, baseUrl, fetch: this.#network?.fetch ?? fetch });
    }
    if (syncUrl !== undefined)
      this.#sync = createSyncClient({ ...common, tls, proxy, ...defaults, endpoint: syncUrl });
  }

  /**
   * Creates a client from the environment: `SAAS_MANAGEMENT_BASE_URL`, `SAAS_MANAGEMENT_SYNC_URL`,
   * `SAAS_MANAGEMENT_API_KEY` and `SAAS_MANAGEMENT_INSTALLATION_ID`. Instead of the key, `SAAS_MANAGEMENT_API_KEY_FILE`
   * may name a file that contains the key and is read for each attempt. `overrides` take precedence.
   * @throws {ConfigurationError} a required option is missing from the environment and from `overrides`, or the file
   *   cannot be read
   */
  static fromEnv(overrides: ClientOptions = {}): SaasManagementClient {
    const given = readOptions("SaasManagementClient.fromEnv", overrides, CLIENT_OPTIONS, ConfigurationError);
    const {
      baseUrl = variable("BASE_URL"),
      syncUrl = variable("SYNC_URL"),
      authorization,
      sync = {},
    } = given;
    const { apiKey = authorization === undefined ? environmentKey()?.apiKey : undefined } = given;
    const defaults = readOptions("sync", sync, SYNC_OPTIONS, ConfigurationError);
    const { installationId = variable("INSTALLATION_ID") } = defaults;
    return new SaasManagementClient({
      ...given,
      baseUrl,
      syncUrl,
      apiKey,
      sync: { ...defaults, installationId },
    });
  }

  /**
   * The GraphQL API.
   * @throws {ConfigurationError} the client was created without `baseUrl`
   * @throws {AuthenticationError} the client was created without a credential
   */
  get graphql(): GraphQLClient {
    if (this.#graphql !== undefined) return this.#graphql;
    if (this.#lacksCredential) throw missingCredential();
    throw missingAddress("GraphQL", "baseUrl", "SAAS_MANAGEMENT_BASE_URL");
  }

  /** The Sync API. @throws {ConfigurationError} the client was created without `syncUrl` */
  get sync(): SyncClient {
    if (this.#sync !== undefined) return this.#sync;
    throw missingAddress("Sync", "syncUrl", "SAAS_MANAGEMENT_SYNC_URL");
  }

  /**
   * Asks the GraphQL API for its schema, and reports which of the SDK's operations the service would refuse.
   * @throws {GraphQLResponseError} the service does not allow introspection
   */
  async checkContract(): Promise<ContractReport> {
    const { graphql } = this;
    const { checkOperations } = await import("./graphql/contract-check.js");
    return checkOperations(graphql);
  }

  /**
   * Refuses new calls, cancels running ones and closes all connections. Open batches are neither completed nor aborted;
   * the outcome of a completion that was sent but not answered is unknown (`BATCH_OUTCOME_UNKNOWN`).
   */
  async close(): Promise<void> {
    await Promise.all([this.#graphql?.close(), this.#sync?.close()]);
    await this.#network?.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function missingAddress(api: string, option: string, value: string): ConfigurationError {
  const text = `${option} (${value} with fromEnv)`;
  return new ConfigurationError(`The ${api} API needs ${text}.`, { advice: { option, value, text } });
}
