import type { TestClock } from "../core/clock.js";
import type { FaultInjector } from "./faults/fault.js";
import type { KeyPermission, KeyScope } from "./keys.js";
import type { Portfolio } from "./portfolio.js";
import type { Inspection } from "./sync/inspect.js";

/** A workspace, to create keys and installations in. */
export interface WorkspaceHandle {
  /** Id of the workspace. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
}

/** What a new API key may do. */
export interface NewApiKey {
  /** The workspace that it opens. @default the default workspace */
  readonly workspace?: WorkspaceHandle | undefined;
  /** Whether it may read alone, or write too. @default "read-write" */
  readonly scope?: KeyScope | undefined;
  /** What else it may do. @default ["integration:sync"] */
  readonly permissions?: readonly KeyPermission[] | undefined;
}

/** Where a new installation belongs and what it is called. */
export interface NewInstallation {
  /** The workspace that it belongs to. @default the default workspace */
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
   * @throws TypeError where the name or the portfolio of the workspace, or the name of an option is wrong.
   */
  createWorkspace(name: string, options?: { readonly portfolio?: Portfolio | undefined }): WorkspaceHandle;
  /**
   * Creates an API key and returns its value.
   * @throws TypeError where the workspace is not one of this server's, or an option's name or value is wrong.
   */
  createApiKey(key?: NewApiKey): string;
  /**
   * Revokes a key. It stops working at once, for calls that are under way too.
   * @throws Error where no such key exists.
   */
  revokeApiKey(key: string): void;
  /**
   * Creates a direct integration installation and returns its id.
   * @throws TypeError where the workspace is not one of this server's, or an option's name or value is wrong.
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
