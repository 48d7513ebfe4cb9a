/// <reference lib="esnext.disposable" preserve="true" />
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Faults } from "./faults/fault.js";
import { FaultInjector } from "./faults/injector.js";
import { startGraphQLServer } from "./graphql/server.js";
import { type CheckedOptions, optionsSchema } from "./options.js";
import { type Portfolio, portfolioSchema } from "./portfolio.js";
import { type Inspection, inspect } from "./sync/inspect.js";
import { startSyncServer } from "./sync/server.js";
import { Installation, SyncState } from "./sync/state.js";
import type { TestClock } from "./test-clock.js";
import { parse, strictObject } from "./validate.js";
import { ApiKeys, Workspace } from "./workspace.js";

/** A running reference server (service description, "Endpoints"). */
export interface ReferenceServer extends AsyncDisposable {
  /** Address of the GraphQL API: `POST {baseUrl}/graphql`. */
  readonly baseUrl: string;
  /** Address of the Sync API. */
  readonly syncUrl: string;
  /** A key of the default workspace with full access. */
  readonly apiKey: string;
  /** An installation of the default workspace. */
  readonly installationId: string;
  /** The clock of the server: `clock.advance(ms)` makes leases expire and delays end. */
  readonly clock: TestClock;
  /** Injects faults. */
  readonly faults: Faults;
  /**
   * Returns a copy of an installation's data: its records, including removed ones, its lock and its batches.
   * @param installationId default: the server's `installationId`
   * @throws {Error} there is no such installation
   */
  inspect(installationId?: string | undefined): Inspection;
  /**
   * Creates another workspace with an installation and a key that has full access. Keys of other workspaces can't reach
   * its data.
   * @throws {TypeError} the name, the portfolio or an option is invalid
   */
  createWorkspace(options: { readonly name: string; readonly portfolio?: Portfolio | undefined }): {
    readonly id: string;
    readonly apiKey: string;
    readonly installationId: string;
  };
  /**
   * Creates a direct integration installation and returns its id. GraphQL shows the name of the integration, by default
   * "Custom integration". The workspace is the default one unless `workspaceId` names another.
   * @throws {TypeError} there is no such workspace, or an option is invalid
   */
  createInstallation(options?: {
    readonly integration?: string | undefined;
    readonly workspaceId?: string | undefined;
  }): string;
  /**
   * Creates an API key and returns its value. By default, the key may read and write (`scope`) and use the Sync API
   * (`permissions`), and it belongs to the default workspace.
   * @throws {TypeError} there is no such workspace, or an option is invalid
   */
  createApiKey(options?: {
    readonly scope?: "read" | "read-write" | undefined;
    readonly permissions?: readonly "integration:sync"[] | undefined;
    readonly workspaceId?: string | undefined;
  }): string;
  /**
   * Revokes a key, which stops working immediately, even for running calls.
   * @throws {Error} there is no such key
   */
  revokeApiKey(key: string): void;
  /**
   * Stops both APIs and starts them again on the same ports, like a service that crashed. Connections and running calls
   * are lost; data, locks, keys and faults are kept.
   * @throws {Error} the server is closed, or another process has taken a port
   */
  restart(): Promise<void>;
  /**
   * Deletes all data, workspaces, keys, installations and faults, so that tests can share a server. The ports, the
   * clock, `apiKey`, `installationId` and the initial portfolio are kept.
   */
  reset(): Promise<void>;
  /**
   * Stops both APIs within about half a second, whatever clients do, and leaves no connection or timer open. Further
   * calls have no effect. `await using` closes the server for you.
   */
  close(): Promise<void>;
}

const workspaceSchema = strictObject({ name: z.string(), portfolio: portfolioSchema.optional() });

const apiKeySchema = strictObject({
  workspaceId: z.string().optional(),
  scope: z.enum(["read", "read-write"]).default("read-write"),
  permissions: z.array(z.literal("integration:sync")).default(["integration:sync"]),
});

const DEFAULT_INTEGRATION = "Custom integration";

const installationSchema = strictObject({
  workspaceId: z.string().optional(),
  integration: z.string().default(DEFAULT_INTEGRATION),
});

/**
 * Starts both APIs of the service in this process. The server works in memory and behaves like the service, and you can
 * advance the clock and inject faults.
 *
 * ```ts
 * await using server = await startReferenceServer();
 * const { baseUrl, syncUrl, apiKey, installationId } = server;
 * const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
 * const batch = await client.sync.startBatch({ installationId });
 * server.clock.advance(15 * 60_000);     // the lease expires
 * server.inspect().lock;                 // null
 * ```
 *
 * Options:
 *
 * - `portfolio`: data of the default workspace besides synced records; by default none
 * - `clock`: the time for leases, delays and "today"; by default the machine's time, which you can advance
 * - `port`, `syncPort`: TCP ports of the GraphQL API and of the Sync API; the default, 0, picks a free port
 * - `host`: address to listen on; by default `127.0.0.1`, which other machines can't reach
 * - `tls`: certificate and private key in PEM, to serve both APIs over TLS 1.2 or newer; by default plain HTTP, which
 *   clients accept only on loopback addresses
 * - `cors`: origins whose pages may use the GraphQL API, or `true` for all; by default none, and a browser's preflight
 *   is refused
 * - `pageSize`: the maximum number of items on a page of the GraphQL API; by default 1000
 *
 * @throws {TypeError} an option is invalid
 * @throws {Error} the operating system's error if an address or port cannot be used
 */
export function startReferenceServer(
  options: {
    readonly portfolio?: Portfolio | undefined;
    readonly clock?: TestClock | undefined;
    readonly port?: number | undefined;
    readonly syncPort?: number | undefined;
    readonly host?: string | undefined;
    readonly tls?: { readonly cert: string; readonly key: string } | undefined;
    readonly cors?: true | readonly string[] | undefined;
    readonly pageSize?: number | undefined;
  } = {},
): Promise<ReferenceServer> {
  return openServer(options);
}

/** @param fill Writes the initial data, to a server whose `syncUrl` is plain HTTP even with TLS. */
export async function openServer(
  options: Parameters<typeof startReferenceServer>[0],
  fill?: (server: ReferenceServer) => Promise<void>,
): Promise<ReferenceServer> {
  const checked = parse("options", optionsSchema, options);
  const { host, tls, clock, cors, pageSize } = checked;
  const state = new SyncState(clock);
  const workspaces = new Map<string, Workspace>();
  const keys = new ApiKeys();
  const faults = new FaultInjector();

  function createWorkspace(portfolio: Portfolio | undefined, given?: typeof first) {
    const workspace = new Workspace(given?.id ?? randomUUID(), portfolio);
    workspaces.set(workspace.id, workspace);
    const installation = new Installation(workspace, DEFAULT_INTEGRATION, given?.installationId);
    state.add(installation);
    const access = { workspace, scope: "read-write", permissions: ["integration:sync"] } as const;
    return {
      id: workspace.id,
      apiKey: keys.create(access, given?.apiKey),
      installationId: installation.id,
    };
  }
  const first: { readonly id: string; readonly apiKey: string; readonly installationId: string } =
    createWorkspace(checked.portfolio);

  function workspaceOf(id = first.id): Workspace {
    const workspace = workspaces.get(id);
    if (workspace === undefined) throw new TypeError("There is no workspace with this id.");
    return workspace;
  }

  const startGraphQL = (port: number) =>
    startGraphQLServer({ host, port, tls, keys, faults, clock, cors, pageSize });
  const startSync = (port: number) => startSyncServer({ host, port, tls }, { state, keys, faults });
  let graphQL = await startGraphQL(checked.port);
  let sync = await startSync(checked.syncPort).catch(async (error: unknown) => {
    await graphQL.close();
    throw error;
  });

  let closed: Promise<void> | undefined;
  let restarted: Promise<void> = Promise.resolve();

  async function closeBoth(): Promise<void> {
    await restarted.catch(() => {});
    await Promise.all([graphQL.close(), sync.close()]);
  }
  function close(): Promise<void> {
    closed ??= closeBoth();
    return closed;
  }
  async function restartAfter(previous: Promise<void>): Promise<void> {
    // After a failed restart, the servers are closed but keep their ports, so the next restart can start them.
    await previous.catch(() => {});
    await Promise.all([graphQL.close(), sync.close(0)]);
    graphQL = await startGraphQL(graphQL.port);
    sync = await startSync(sync.port);
  }

  const server: ReferenceServer = {
    baseUrl: urlOf(checked, graphQL.port),
    syncUrl: urlOf(checked, sync.port),
    apiKey: first.apiKey,
    installationId: first.installationId,
    clock,
    faults,
    inspect: (installationId = first.installationId) => {
      const installation = state.installation(installationId);
      if (installation === undefined) throw new Error("There is no installation with this id.");
      return inspect(installation, clock.now());
    },
    createWorkspace: (wanted) => createWorkspace(parse("createWorkspace", workspaceSchema, wanted).portfolio),
    createInstallation: (wanted = {}) => {
      const { workspaceId, integration } = parse("createInstallation", installationSchema, wanted);
      const installation = new Installation(workspaceOf(workspaceId), integration);
      state.add(installation);
      return installation.id;
    },
    createApiKey: (wanted = {}) => {
      const { workspaceId, scope, permissions } = parse("createApiKey", apiKeySchema, wanted);
      return keys.create({ workspace: workspaceOf(workspaceId), scope, permissions });
    },
    revokeApiKey: (key) => {
      if (!keys.revoke(key)) throw new Error("There is no such API key.");
    },
    restart: () => {
      if (closed !== undefined) return Promise.reject(new Error("The reference server is closed."));
      restarted = restartAfter(restarted);
      return restarted;
    },
    reset: async () => {
      for (const part of [state, keys, workspaces, faults]) part.clear();
      createWorkspace(checked.portfolio, first);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  if (fill === undefined) return server;
  try {
    const plain = await startSyncServer({ host: "127.0.0.1", port: 0 }, { state, keys, faults });
    await fill({ ...server, syncUrl: `http://127.0.0.1:${plain.port}` }).finally(() => plain.close());
    return server;
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address for clients on this machine. An address for all interfaces isn't a valid destination. */
function urlOf({ host, tls }: CheckedOptions, port: number): string {
  const destination = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const authority = destination.includes(":") ? `[${destination}]` : destination;
  return `${tls === undefined ? "http" : "https"}://${authority}:${port}`;
}
