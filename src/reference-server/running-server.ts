import { randomUUID } from "node:crypto";
import type { TestClock } from "../clock.js";
import type { FaultInjector } from "./faults/fault.js";
import { Faults } from "./faults/faults.js";
import { startGraphQLServer } from "./graphql/server.js";
import { ApiKeys, type KeyPermission, type KeyScope } from "./keys.js";
import type { CheckedOptions } from "./options.js";
import type { Portfolio } from "./portfolio.js";
import { type Inspection, inspect } from "./sync/inspect.js";
import { Installation } from "./sync/installation.js";
import { startSyncServer } from "./sync/server.js";
import { SyncState } from "./sync/sync-state.js";
import { Workspace } from "./workspace.js";

/** A workspace, to create keys and installations in. */
export interface WorkspaceHandle {
  /** Id of the workspace. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
}

/** What a new API key may do. */
export interface NewApiKey {
  /** @default the default workspace */
  readonly workspace?: WorkspaceHandle | undefined;
  /** @default "read-write" */
  readonly scope?: KeyScope | undefined;
  /** @default ["integration:sync"] */
  readonly permissions?: readonly KeyPermission[] | undefined;
}

/** Where a new installation belongs and what it is called. */
export interface NewInstallation {
  /** @default the default workspace */
  readonly workspace?: WorkspaceHandle | undefined;
  /**
   * Name of the integration, as GraphQL shows it at plans and licenses.
   * @default "Custom integration"
   */
  readonly integration?: string | undefined;
}

/** A reference server that is running (service description, "Endpoints"). */
export interface ReferenceServer {
  /** Where the GraphQL API is: `POST {baseUrl}/graphql`. */
  readonly baseUrl: string;
  /** Where the Sync API is. */
  readonly syncUrl: string;
  /** A key of the default workspace that may do everything. */
  readonly apiKey: string;
  /** An installation of the default workspace. */
  readonly installationId: string;
  /** The workspace that the server comes with. */
  readonly workspace: WorkspaceHandle;
  /** The time that the server lives in: `clock.advance(ms)` lets leases run out and delays end. */
  readonly clock: TestClock;
  /** Faults to inject. */
  readonly faults: FaultInjector;
  /**
   * Creates another workspace; its data is out of reach for keys of other ones.
   * @throws TypeError where the portfolio is wrong.
   */
  createWorkspace(name: string, options?: { readonly portfolio?: Portfolio | undefined }): WorkspaceHandle;
  /**
   * Creates an API key and returns its value.
   * @throws TypeError where the workspace is not one of this server's.
   */
  createApiKey(key?: NewApiKey): string;
  /**
   * Revokes a key. It stops working at once, for calls that are under way too.
   * @throws Error where no such key exists.
   */
  revokeApiKey(key: string): void;
  /**
   * Creates a direct integration installation and returns its id.
   * @throws TypeError where the workspace is not one of this server's.
   */
  createInstallation(installation?: NewInstallation): string;
  /**
   * A copy of all that an installation holds, as plain data: lock, batches, snapshots with removed marks, events.
   * @throws Error where no such installation exists.
   */
  inspect(installationId: string): Inspection;
  /**
   * Stops both APIs and starts them again on the same ports, as a service does whose process has crashed: connections
   * and calls that are under way are lost, data, locks, keys and faults are kept.
   * @throws Error where the server is closed, or a port was taken by another process meanwhile.
   */
  restart(): Promise<void>;
  /**
   * Stops both APIs, within about half a second whatever clients do, and leaves no connection and no timer behind.
   * May be called again.
   */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts both APIs over one state. Where the second cannot start, the first is stopped.
 * @param state Nothing that is synced yet, on the clock of the options.
 */
export async function runServer(
  options: CheckedOptions,
  state: SyncState = new SyncState(options.clock),
): Promise<ReferenceServer> {
  const { host, tls, clock, portfolio, pageSize } = options;
  const workspaces = new Map<string, Workspace>();
  const keys = new ApiKeys();
  const faults = new Faults();

  function workspaceOf(handle: WorkspaceHandle): Workspace {
    const workspace = workspaces.get(handle.id);
    if (workspace === undefined) throw new TypeError("`workspace` is not a workspace of this server.");
    return workspace;
  }

  const createWorkspace: ReferenceServer["createWorkspace"] = (name, settings = {}) => {
    const workspace = new Workspace({ id: randomUUID(), name, portfolio: settings.portfolio });
    workspaces.set(workspace.id, workspace);
    return { id: workspace.id, name };
  };
  const defaultWorkspace = createWorkspace("Default workspace", { portfolio });

  const createApiKey: ReferenceServer["createApiKey"] = (key = {}) => {
    const { workspace = defaultWorkspace, scope = "read-write", permissions = ["integration:sync"] } = key;
    return keys.create({ workspace: workspaceOf(workspace), scope, permissions });
  };

  const createInstallation: ReferenceServer["createInstallation"] = (wanted = {}) => {
    const workspace = workspaceOf(wanted.workspace ?? defaultWorkspace);
    const installation = new Installation(workspace, wanted.integration ?? "Custom integration");
    workspace.addInstallation(installation);
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
  const close = (): Promise<void> => {
    closed ??= restarted
      .catch(() => {})
      .then(() => Promise.all([graphQL.close(), sync.close()]))
      .then(() => {});
    return closed;
  };
  const restart = (): Promise<void> => {
    if (closed !== undefined) return Promise.reject(new Error("The reference server is closed."));
    restarted = restarted.then(async () => {
      await Promise.all([graphQL.close(), sync.close(0)]);
      graphQL = await startGraphQL(graphQL.port);
      sync = await startSync(sync.port);
    });
    return restarted;
  };

  return {
    baseUrl: urlOf(options, graphQL.port),
    syncUrl: urlOf(options, sync.port),
    apiKey: createApiKey(),
    installationId: createInstallation(),
    workspace: defaultWorkspace,
    clock,
    faults,
    createWorkspace,
    createApiKey,
    revokeApiKey: (key) => keys.revoke(key),
    createInstallation,
    inspect: (installationId) => {
      const installation = state.installation(installationId);
      if (installation === undefined) throw new Error("There is no installation with this id to inspect.");
      return inspect(installation, clock.now());
    },
    restart,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Where a client of this machine reaches a port. An address that stands for all of them is no destination. */
function urlOf({ host, tls }: CheckedOptions, port: number): string {
  const destination = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const authority = destination.includes(":") ? `[${destination}]` : destination;
  return `${tls === undefined ? "http" : "https"}://${authority}:${port}`;
}
