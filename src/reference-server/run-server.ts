import { randomUUID } from "node:crypto";
import type { KeysOf } from "../core/validate.js";
import { requireKnown, requireList, requireOneOf, requireString } from "./argument-checks.js";
import { Faults } from "./faults/faults.js";
import { startGraphQLServer } from "./graphql/server.js";
import { ApiKeys, type KeyPermission, type KeyScope } from "./keys.js";
import type { CheckedOptions } from "./options.js";
import type { NewApiKey, NewInstallation, ReferenceServer, WorkspaceHandle } from "./running-server.js";
import { inspect } from "./sync/inspect.js";
import { Installation } from "./sync/installation.js";
import { startSyncServer } from "./sync/server.js";
import { SyncState } from "./sync/sync-state.js";
import { Workspace } from "./workspace.js";

const API_KEY_NAMES = { workspace: true, scope: true, permissions: true } satisfies KeysOf<NewApiKey>;
const INSTALLATION_NAMES = { workspace: true, integration: true } satisfies KeysOf<NewInstallation>;
const SCOPES: readonly KeyScope[] = ["read", "read-write"];
const PERMISSIONS: readonly KeyPermission[] = ["integration:sync"];

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
    requireString("The name of a workspace", name);
    requireKnown("The options of createWorkspace", settings, { portfolio: true });
    const workspace = new Workspace({ id: randomUUID(), name, portfolio: settings.portfolio });
    workspaces.set(workspace.id, workspace);
    return { id: workspace.id, name };
  };
  const defaultWorkspace = createWorkspace("Default workspace", { portfolio });

  const createApiKey: ReferenceServer["createApiKey"] = (key = {}) => {
    requireKnown("The options of createApiKey", key, API_KEY_NAMES);
    const { workspace = defaultWorkspace, scope = "read-write", permissions = PERMISSIONS } = key;
    requireOneOf("`scope`", scope, SCOPES);
    requireList("`permissions`", permissions);
    for (const permission of permissions) requireOneOf("`permissions`", permission, PERMISSIONS);
    return keys.create({ workspace: workspaceOf(workspace), scope, permissions: [...permissions] });
  };

  const createInstallation: ReferenceServer["createInstallation"] = (wanted = {}) => {
    requireKnown("The options of createInstallation", wanted, INSTALLATION_NAMES);
    const { workspace: handle = defaultWorkspace, integration = "Custom integration" } = wanted;
    requireString("`integration`", integration);
    const workspace = workspaceOf(handle);
    const installation = new Installation(workspace, integration);
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
    // One that failed leaves what is closed, on ports that are known: the next one starts from there.
    restarted = restarted
      .catch(() => {})
      .then(async () => {
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
