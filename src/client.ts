import { checkTls, NETWORK_KEYS, type NetworkOptions, readTls, resolveEndpoint } from "./core/endpoint.js";
import { ConfigurationError } from "./core/errors/index.js";
import { COMMON_KEYS, type CommonOptions } from "./core/options.js";
import { type KeysOf, readOptions } from "./core/validate.js";
import { GraphQLClient } from "./graphql/client.js";
import type { GraphQLClientOptions } from "./graphql/configuration.js";
import { checkCertificates } from "./node/certificates.js";
import { NodeFetch } from "./node/fetch.js";
import { checkProxy, resolveProxy } from "./node/proxy.js";
import { SyncClient } from "./sync/client.js";
import { type SyncTuning, TUNING_KEYS } from "./sync/options.js";

/** Options of a {@link SaasManagementClient}: one configuration for both APIs. */
export interface SaasManagementClientOptions extends CommonOptions, NetworkOptions {
  /**
   * Base of the GraphQL API, which is `POST {baseUrl}/graphql`. May be left out where only `sync` is used.
   * @default none: `graphql` cannot be used
   */
  readonly baseUrl?: string | undefined;
  /**
   * Endpoint of the Sync API (gRPC). May be left out where only `graphql` is used.
   * @default none: `sync` cannot be used
   */
  readonly syncUrl?: string | undefined;
  /**
   * How GraphQL requests are sent; not together with `tls` or `proxy`.
   * @default globalThis.fetch
   */
  readonly fetch?: GraphQLClientOptions["fetch"];
  /** Most bytes of one GraphQL response, after decompression. @default 67_108_864 (64 MiB) */
  readonly maxResponseBytes?: GraphQLClientOptions["maxResponseBytes"];
  /** How the Sync API is spoken. @default what each of its fields says */
  readonly sync?: SyncTuning | undefined;
}

const CLIENT_KEYS = {
  ...COMMON_KEYS,
  ...NETWORK_KEYS,
  baseUrl: true,
  syncUrl: true,
  fetch: true,
  maxResponseBytes: true,
  sync: true,
} satisfies KeysOf<SaasManagementClientOptions>;

/**
 * The SaaS Management Service (service description, "Official client SDK behavior"): the GraphQL API reads and works
 * with a workspace's portfolio, the Sync API pushes the data of custom connectors. Nothing is loaded or connected
 * before it is used.
 *
 * @example
 * ```ts
 * await using client = SaasManagementClient.fromEnv();
 * for await (const license of client.graphql.licenses()) console.log(license.holder?.name);
 * ```
 */
export class SaasManagementClient {
  readonly #nodeFetch: NodeFetch | undefined;
  readonly #graphql: GraphQLClient | undefined;
  readonly #sync: SyncClient | undefined;

  /** @throws {ConfigurationError} an option is missing or not usable */
  constructor(options: SaasManagementClientOptions) {
    const given = readOptions("SaasManagementClient", options, CLIENT_KEYS, ConfigurationError);
    const { baseUrl, syncUrl, fetch, maxResponseBytes, tls: givenTls, proxy, sync, ...common } = given;
    if (baseUrl === undefined && syncUrl === undefined) {
      throw new ConfigurationError(
        "Set baseUrl for the GraphQL API, syncUrl for the Sync API, or both (SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_SYNC_URL with fromEnv).",
      );
    }
    const tls = readTls(givenTls);
    const tuning = readOptions("sync", sync ?? {}, TUNING_KEYS, ConfigurationError);
    this.#nodeFetch = nodeFetch({ baseUrl, fetch, tls, proxy });
    if (baseUrl !== undefined) {
      const sender = this.#nodeFetch?.fetch ?? fetch;
      this.#graphql = new GraphQLClient({ ...common, baseUrl, fetch: sender, maxResponseBytes });
    }
    if (syncUrl !== undefined) {
      // Here too, so that the message has the option's name in this client.
      resolveEndpoint("syncUrl", syncUrl, "no-path");
      this.#sync = new SyncClient({ ...common, tls, proxy, ...tuning, endpoint: syncUrl });
    }
  }

  /**
   * Makes a client from the environment: `SAAS_MANAGEMENT_BASE_URL`, `SAAS_MANAGEMENT_SYNC_URL` and
   * `SAAS_MANAGEMENT_API_KEY`. What is given in `overrides` wins.
   * @throws {ConfigurationError} what is needed is in neither
   */
  static fromEnv(overrides: SaasManagementClientOptions = {}): SaasManagementClient {
    const { SAAS_MANAGEMENT_BASE_URL, SAAS_MANAGEMENT_SYNC_URL, SAAS_MANAGEMENT_API_KEY } = process.env;
    const given = readOptions("SaasManagementClient.fromEnv", overrides, CLIENT_KEYS, ConfigurationError);
    return new SaasManagementClient({
      ...fromVariable("baseUrl", SAAS_MANAGEMENT_BASE_URL),
      ...fromVariable("syncUrl", SAAS_MANAGEMENT_SYNC_URL),
      ...(given.authorization === undefined ? fromVariable("apiKey", SAAS_MANAGEMENT_API_KEY) : {}),
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    });
  }

  /** The GraphQL API. @throws {ConfigurationError} the client was made without `baseUrl` */
  get graphql(): GraphQLClient {
    if (this.#graphql !== undefined) return this.#graphql;
    throw new ConfigurationError("The GraphQL API needs baseUrl (SAAS_MANAGEMENT_BASE_URL with fromEnv).");
  }

  /** The Sync API. @throws {ConfigurationError} the client was made without `syncUrl` */
  get sync(): SyncClient {
    if (this.#sync !== undefined) return this.#sync;
    throw new ConfigurationError("The Sync API needs syncUrl (SAAS_MANAGEMENT_SYNC_URL with fromEnv).");
  }

  /**
   * Refuses new calls, cancels what is under way and leaves no handle. Open batches are not completed and not aborted;
   * of a completion that was sent and not answered yet the outcome is not known (`BATCH_OUTCOME_UNKNOWN`).
   */
  async close(): Promise<void> {
    await Promise.all([this.#graphql?.close(), this.#sync?.close()]);
    await this.#nodeFetch?.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The fetch for TLS settings or a proxy; undefined if there are none. */
function nodeFetch(
  options: Pick<SaasManagementClientOptions, "baseUrl" | "fetch" | "tls" | "proxy">,
): NodeFetch | undefined {
  const { baseUrl, tls, fetch } = options;
  const proxy = resolveProxy(options.proxy);
  if (tls === undefined && proxy === undefined) return undefined;
  if (fetch !== undefined) {
    const name = tls === undefined ? "proxy" : "tls";
    throw new ConfigurationError(`${name} has no effect on your own fetch: set only one of the two.`);
  }
  if (baseUrl === undefined) return undefined;
  const endpoint = resolveEndpoint("baseUrl", baseUrl, "path");
  checkTls(tls, "baseUrl", endpoint);
  checkProxy(proxy, "baseUrl", endpoint);
  checkCertificates(tls);
  return new NodeFetch({ tls, proxy });
}

/** An empty variable counts as not set. */
function fromVariable<Name extends string>(
  name: Name,
  value: string | undefined,
): { [N in Name]?: string } | object {
  return value === undefined || value === "" ? {} : { [name]: value };
}
