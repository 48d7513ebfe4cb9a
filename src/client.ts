import { CLIENT_OPTION_NAMES } from "./core/client-option-names.js";
import { ConfigurationError } from "./core/errors/index.js";
import { readHeaderRecord } from "./core/header-record.js";
import type { NamesOf } from "./core/option-names.js";
import {
  APP_INFO_NAMES,
  type CommonOptions,
  checkTls,
  type NetworkOptions,
  readTls,
  resolveEndpoint,
} from "./core/options.js";
import { ownCopy } from "./core/own-copy.js";
import { RETRY_NAMES } from "./core/retry.js";
import {
  refuseMisspelled,
  requireKnownNames,
  requireObject,
  whileReading,
  withInherited,
} from "./core/validate.js";
import { GraphQLClient } from "./graphql/client.js";
import type { GraphQLClientOptions } from "./graphql/configuration.js";
import { checkCertificates } from "./node/certificates.js";
import { NodeFetch } from "./node/fetch.js";
import { checkProxy, resolveProxy } from "./node/proxy.js";
import { SyncClient } from "./sync/client.js";
import { type SyncClientOptions, type SyncTuning, TUNING_NAMES } from "./sync/options.js";

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
   * @default globalThis.fetch, but in processes where it would check no certificates, speak a TLS below 1.2 or send
   *   what is for loopback to a proxy
   */
  readonly fetch?: GraphQLClientOptions["fetch"];
  /** Most bytes of one GraphQL response, after decompression. @default 67_108_864 (64 MiB) */
  readonly maxResponseBytes?: GraphQLClientOptions["maxResponseBytes"];
  /** How the Sync API is spoken. @default what each of its fields says */
  readonly sync?: SyncTuning | undefined;
}

type AnyClientOptions =
  | keyof SaasManagementClientOptions
  | keyof GraphQLClientOptions
  | keyof SyncClientOptions;

/** Here, where every client is known, the list is held to have no name that none of them has. */
const CLIENT_NAMES = CLIENT_OPTION_NAMES satisfies NamesOf<SaasManagementClientOptions> &
  Record<Exclude<keyof typeof CLIENT_OPTION_NAMES, AnyClientOptions>, never>;

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
    // Read once: what was checked is what is used.
    const given = whileReading("The options", options, () => readOnce(options));
    checkNames(given);
    const { baseUrl, syncUrl, fetch, sync, ...shared } = given;
    if (baseUrl === undefined && syncUrl === undefined) {
      throw new ConfigurationError(
        "Set baseUrl for the GraphQL API, syncUrl for the Sync API, or both (SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_SYNC_URL with fromEnv).",
      );
    }
    this.#nodeFetch = whileReading("The options", given, () => nodeFetch(given));
    if (baseUrl !== undefined) {
      const { tls, proxy, ...common } = shared;
      this.#graphql = new GraphQLClient({ ...common, baseUrl, fetch: this.#nodeFetch?.fetch ?? fetch });
    }
    if (syncUrl !== undefined) {
      // Here as well, so that the message names the option as it is called here.
      resolveEndpoint("syncUrl", syncUrl, "no-path");
      this.#sync = new SyncClient({ ...shared, ...sync, endpoint: syncUrl });
    }
  }

  /**
   * Makes a client from the environment: `SAAS_MANAGEMENT_BASE_URL`, `SAAS_MANAGEMENT_SYNC_URL` and
   * `SAAS_MANAGEMENT_API_KEY`. What is given in `overrides` wins.
   * @throws {ConfigurationError} what is needed is in neither
   */
  static fromEnv(overrides: SaasManagementClientOptions = {}): SaasManagementClient {
    const { env } = process;
    const { SAAS_MANAGEMENT_BASE_URL, SAAS_MANAGEMENT_SYNC_URL, SAAS_MANAGEMENT_API_KEY } = env;
    const given = whileReading("The overrides", overrides, () => withInherited(overrides, CLIENT_NAMES));
    // Here as well: what is undefined is left out below, also under a name that is misspelled.
    checkNames(given);
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

/** Options that belong into `sync` would be taken for those of a client of the Sync API alone. */
function checkNames(options: object): void {
  const place = "The options of SaasManagementClient";
  refuseMisspelled(place, options, CLIENT_NAMES);
  const misplaced = Object.keys(options).find((name) => Object.hasOwn(TUNING_NAMES, name));
  if (misplaced === undefined) return;
  throw new ConfigurationError(`${place}: ${misplaced} belongs into sync, as in sync: { ${misplaced} }.`);
}

/** How GraphQL requests are sent; undefined where the caller does it, or there is no GraphQL API. */
function nodeFetch(options: SaasManagementClientOptions): NodeFetch | undefined {
  const { baseUrl, tls, fetch } = options;
  const proxy = resolveProxy(options.proxy);
  if (fetch !== undefined) {
    if (tls === undefined && proxy === undefined) return undefined;
    const name = tls === undefined ? "proxy" : "tls";
    throw new ConfigurationError(
      `${name} and fetch are both set: ${name} has no effect on a fetch of your own. Give one of them.`,
    );
  }
  if (baseUrl === undefined) return undefined;
  const endpoint = resolveEndpoint("baseUrl", baseUrl, "path");
  checkTls(tls, "baseUrl", endpoint);
  checkProxy(proxy, "baseUrl", endpoint);
  checkCertificates(tls);
  return new NodeFetch({ endpoint, tls, proxy });
}

/** A copy of the options and of what is within them, each of which is read once for both APIs. */
function readOnce(options: SaasManagementClientOptions): SaasManagementClientOptions {
  const given = withInherited(options, CLIENT_NAMES);
  const { headers, retry, appInfo, tls, sync } = given;
  requireObject("sync", sync);
  requireKnownNames("sync", sync ?? {}, TUNING_NAMES, ConfigurationError);
  return {
    ...given,
    headers: readHeaderRecord(headers, ConfigurationError),
    retry: ownCopy(retry, RETRY_NAMES),
    appInfo: ownCopy(appInfo, APP_INFO_NAMES),
    tls: readTls(tls),
    sync: ownCopy(sync, TUNING_NAMES),
  };
}

/** An empty variable counts as one that is not set. */
function fromVariable<Name extends string>(
  name: Name,
  value: string | undefined,
): { [N in Name]?: string } | object {
  return value === undefined || value === "" ? {} : { [name]: value };
}
