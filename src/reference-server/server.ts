import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { TestClock } from "../core/clock.js";
import type { Faults } from "./faults/fault.js";
import { FaultInjector } from "./faults/injector.js";
import { startGraphQLServer } from "./graphql/server.js";
import { ApiKeys, type KeyPermission, type KeyScope } from "./keys.js";
import { type CheckedOptions, checkOptions, type ReferenceServerOptions } from "./options.js";
import { type Portfolio, portfolioSchema } from "./portfolio.js";
import { type Inspection, inspect } from "./sync/inspect.js";
import { startSyncServer } from "./sync/server.js";
import { Installation, SyncState } from "./sync/state.js";
import { parse, strictObject } from "./validate.js";
import { Workspace } from "./workspace.js";

/** A workspace, to create keys and installations in. */
export interface WorkspaceHandle {
  /** Id of the workspace. */
  readonly id: string;
  /** Name of the workspace. */
  readonly name: string;
}

/** What a new API key may do. */
export interface NewApiKey {
  /** The workspace of the key. @default the default workspace */
  readonly workspace?: WorkspaceHandle | undefined;
  /** Whether the key may only read, or also write. @default "read-write" */
  readonly scope?: KeyScope | undefined;
  /** Permissions beside the scope. @default ["integration:sync"] */
  readonly permissions?: readonly KeyPermission[] | undefined;
}

/** Workspace and name of a new installation. */
export interface NewInstallation {
  /** The workspace of the installation. @default the default workspace */
  readonly workspace?: WorkspaceHandle | undefined;
  /**
   * Name of the integration, which GraphQL shows with plans and licenses.
   * @default "Custom integration"
   */
  readonly integration?: string | undefined;
}

/** A reference server that is running (service description, "Endpoints"). */
export interface ReferenceServer {
  /** Address of the GraphQL API: `POST {baseUrl}/graphql`. */
  readonly baseUrl: string;
  /** Address of the Sync API. */
  readonly syncUrl: string;
  /** A key of the default workspace with full access. */
  readonly apiKey: string;
  /** An installation of the default workspace. */
  readonly installationId: string;
  /** The default workspace. */
  readonly workspace: WorkspaceHandle;
  /** The clock of the server: `clock.advance(ms)` makes leases expire and delays end. */
  readonly clock: TestClock;
  /** Injects faults. */
  readonly faults: Faults;
  /**
   * Creates another workspace. Keys of other workspaces cannot reach its data.
   * @throws {TypeError} the name, the portfolio or an option is invalid
   */
  createWorkspace(name: string, options?: { readonly portfolio?: Portfolio | undefined }): WorkspaceHandle;
  /**
   * Creates an API key and returns its value.
   * @throws {TypeError} the workspace does not belong to this server, or an option is invalid
   */
  createApiKey(key?: NewApiKey): string;
  /**
   * Revokes a key. It stops working immediately, also for calls that are running.
   * @throws {Error} there is no such key
   */
  revokeApiKey(key: string): void;
  /**
   * Creates a direct integration installation and returns its id.
   * @throws {TypeError} the workspace does not belong to this server, or an option is invalid
   */
  createInstallation(installation?: NewInstallation): string;
  /**
   * Returns a copy of what an installation holds, as plain data: lock, batches, snapshots with removed marks, events.
   * @throws {Error} there is no such installation
   */
  inspect(installationId: string): Inspection;
  /**
   * Stops both APIs and starts them again on the same ports, like a service whose process crashed: connections and
   * running calls are lost; data, locks, keys and faults are kept.
   * @throws {Error} the server is closed, or another process has taken a port
   */
  restart(): Promise<void>;
  /**
   * Stops both APIs within about half a second, whatever clients do, and leaves no connection and no timer open.
   * Further calls have no effect.
   */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const handleSchema: z.ZodType<WorkspaceHandle> = z.object({ id: z.string(), name: z.string() });

const workspaceSchema = strictObject({ portfolio: portfolioSchema.optional() });

const apiKeySchema = strictObject({
  workspace: handleSchema.optional(),
  scope: z.enum(["read", "read-write"]).default("read-write"),
  permissions: z.array(z.literal("integration:sync")).default(["integration:sync"]),
});

const installationSchema = strictObject({
  workspace: handleSchema.optional(),
  integration: z.string().default("Custom integration"),
});

/**
 * Starts both APIs of the service in this process, in memory and with the service's semantics, with a clock that can
 * be advanced and faults that can be injected.
 *
 * ```ts
 * await using server = await startReferenceServer();
 * const { baseUrl, syncUrl, apiKey, installationId } = server;
 * const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
 * const batch = await client.sync.startBatch({ installationId });
 * server.clock.advance(15 * 60_000);     // the lease expires
 * server.inspect(installationId).lock;   // null
 * ```
 *
 * @throws {TypeError} an option is invalid
 * @throws {Error} the operating system's error if an address or port cannot be used
 */
export async function startReferenceServer(options: ReferenceServerOptions = {}): Promise<ReferenceServer> {
  return startServer(checkOptions(options));
}

/**
 * Starts both APIs over one state. If the second cannot start, the first is stopped.
 * @internal
 */
export async function startServer(
  options: CheckedOptions,
  state: SyncState = new SyncState(options.clock),
): Promise<ReferenceServer> {
  const { host, tls, clock, pageSize } = options;
  const workspaces = new Map<string, Workspace>();
  const keys = new ApiKeys();
  const faults = new FaultInjector();

  function createWorkspace(name: string, portfolio: Portfolio | undefined): WorkspaceHandle {
    const workspace = new Workspace({ id: randomUUID(), name, portfolio });
    workspaces.set(workspace.id, workspace);
    return { id: workspace.id, name };
  }
  const defaultWorkspace = createWorkspace("Default workspace", options.portfolio);

  function workspaceOf({ id }: WorkspaceHandle = defaultWorkspace): Workspace {
    const workspace = workspaces.get(id);
    if (workspace === undefined) throw new TypeError("The workspace does not belong to this server.");
    return workspace;
  }

  const createApiKey: ReferenceServer["createApiKey"] = (key = {}) => {
    const { workspace, scope, permissions } = parse("createApiKey", apiKeySchema, key);
    return keys.create({ workspace: workspaceOf(workspace), scope, permissions });
  };

  const createInstallation: ReferenceServer["createInstallation"] = (wanted = {}) => {
    const { workspace, integration } = parse("createInstallation", installationSchema, wanted);
    const installation = new Installation(workspaceOf(workspace), integration);
    installation.workspace.installations.push(installation);
    state.add(installation);
    return installation.id;
  };

  const startGraphQL = (port: number) =>
    startGraphQLServer({ host, port, tls, keys, faults, clock, pageSize });
  const startSync = (port: number) => startSyncServer({ host, port, tls }, { state, keys, faults });
  let graphQL = await startGraphQL(options.port);
  let sync = await startSync(options.syncPort).catch(async (error: unknown) => {
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
    // A restart that failed leaves closed servers whose ports are known: the next one starts from there.
    await previous.catch(() => {});
    await Promise.all([graphQL.close(), sync.close(0)]);
    graphQL = await startGraphQL(graphQL.port);
    sync = await startSync(sync.port);
  }

  return {
    baseUrl: urlOf(options, graphQL.port),
    syncUrl: urlOf(options, sync.port),
    apiKey: createApiKey(),
    installationId: createInstallation(),
    workspace: defaultWorkspace,
    clock,
    faults,
    createWorkspace: (name, settings = {}) =>
      createWorkspace(
        parse("The name of a workspace", z.string(), name),
        parse("createWorkspace", workspaceSchema, settings).portfolio,
      ),
    createApiKey,
    revokeApiKey: (key) => {
      if (!keys.revoke(key)) throw new Error("There is no such API key.");
    },
    createInstallation,
    inspect: (installationId) => {
      const installation = state.installation(installationId);
      if (installation === undefined) throw new Error("There is no installation with this id.");
      return inspect(installation, clock.now());
    },
    restart: () => {
      if (closed !== undefined) return Promise.reject(new Error("The reference server is closed."));
      restarted = restartAfter(restarted);
      return restarted;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The address for clients on this machine. An address that stands for all interfaces is not a destination. */
function urlOf({ host, tls }: CheckedOptions, port: number): string {
  const destination = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const authority = destination.includes(":") ? `[${destination}]` : destination;
  return `${tls === undefined ? "http" : "https"}://${authority}:${port}`;
}
