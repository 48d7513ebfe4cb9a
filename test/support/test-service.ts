import { mkdtempSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import {
  type ClientOptions,
  fileLedger,
  type HeldReason,
  RunHeldError,
  type RunOptions,
  type RunReceipt,
  SaasManagementClient,
  type SnapshotCollection,
  type SnapshotDiff,
  type SyncBatch,
} from "@saas-management/sdk";
import { GraphQLClient, type GraphQLOptions } from "@saas-management/sdk/graphql";
import {
  type Inspection,
  type ReferenceServer,
  startReferenceServer,
  type TestClock,
} from "@saas-management/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import type { BatchOptions } from "../../src/sync/batch/start.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { connectorOf, type RunFunction } from "./connector.js";
import { PlainClient } from "./grpc-client.js";
import { accounts } from "./records.js";

export { accounts, ids } from "./records.js";

const QUICK_RETRY = { retries: 1, minDelayMs: 1, maxDelayMs: 1 } as const;

export type ServerOptions = NonNullable<Parameters<typeof startReferenceServer>[0]>;

export interface TestServiceOptions {
  readonly server?: ServerOptions | undefined;
  /** Default options of Sync API clients. */
  readonly sync?: Partial<SyncClientOptions> | undefined;
  /** Default options of GraphQL API clients. */
  readonly graphql?: Partial<GraphQLOptions> | undefined;
}

/**
 * One reference server for all tests of a file. Each test gets its own workspace, key and installation, and no faults.
 * Its clients are closed and its directory is removed after the test.
 */
export function testService(options: TestServiceOptions = {}): TestService {
  const service = new TestService(options);
  beforeAll(() => service.start());
  beforeEach(() => service.reset());
  afterEach(() => service.cleanUp());
  afterAll(() => service.close());
  return service;
}

/** A server for one test: for tests that need server options or a frozen clock, or that end the server. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const service = new TestService(options);
  await service.start();
  onTestFinished(() => service.close());
  return service;
}

export class TestService {
  readonly #options: TestServiceOptions;
  #shared: ReferenceServer | undefined;
  #server: ReferenceServer | undefined;
  #clients: { close(): Promise<void> }[] = [];
  #sync: SyncEngine | undefined;
  #graphql: GraphQLClient | undefined;
  #directory: string | undefined;

  constructor(options: TestServiceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#shared = await startReferenceServer(this.#options.server);
    this.#server = this.#shared;
  }

  /** Gives the test an empty server. */
  async reset(): Promise<void> {
    await started(this.#shared).reset();
  }

  async cleanUp(): Promise<void> {
    const clients = this.#clients;
    const directory = this.#directory;
    this.#clients = [];
    this.#sync = this.#graphql = this.#directory = undefined;
    await Promise.all(clients.map((client) => client.close()));
    if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }

  async close(): Promise<void> {
    await this.cleanUp();
    await this.#shared?.close();
  }

  /** The server, as the workspace of the test sees it. */
  get server(): ReferenceServer {
    return started(this.#server);
  }

  /** The server's clock, which the clients share. */
  get clock(): TestClock {
    return this.server.clock;
  }

  get installationId(): string {
    return this.server.installationId;
  }

  /** The test's client of the Sync API. */
  get sync(): SyncEngine {
    this.#sync ??= this.syncClient();
    return this.#sync;
  }

  /** The test's client of the GraphQL API. */
  get graphql(): GraphQLClient {
    this.#graphql ??= this.graphqlClient();
    return this.#graphql;
  }

  /** Another client of the Sync API. */
  syncClient(options: Partial<SyncClientOptions> = {}): SyncEngine {
    const { syncUrl: endpoint, apiKey, clock } = this.server;
    const credential = options.authorization === undefined ? { apiKey } : {};
    const defaults = { endpoint, ...credential, clock, retry: QUICK_RETRY, ...this.#options.sync };
    return this.#closing(createSyncClient({ ...defaults, ...options }));
  }

  /** Another client of the GraphQL API. */
  graphqlClient(options: Partial<GraphQLOptions> = {}): GraphQLClient {
    const { baseUrl, apiKey, clock } = this.server;
    const credential = options.authorization === undefined ? { apiKey } : {};
    const defaults = { baseUrl, ...credential, clock, retry: QUICK_RETRY, ...this.#options.graphql };
    return this.#closing(new GraphQLClient({ ...defaults, ...options }));
  }

  /** A client of both APIs. */
  client(options: ClientOptions = {}): SaasManagementClient {
    const { baseUrl, syncUrl, apiKey, clock } = this.server;
    const credential = options.authorization === undefined ? { apiKey } : {};
    const defaults = { baseUrl, syncUrl, ...credential, clock, retry: QUICK_RETRY };
    return this.#closing(new SaasManagementClient({ ...defaults, ...options }));
  }

  /** A gRPC client that uses only the SDK's generated messages, and has its own connection. */
  plainClient(key: string = this.server.apiKey): PlainClient {
    return new PlainClient(this.server.syncUrl, `ApiKey ${key}`);
  }

  startBatch(start: Partial<BatchOptions> = {}): Promise<SyncBatch> {
    return this.sync.startBatch({ installationId: this.installationId, ...start });
  }

  /** An empty directory. */
  get directory(): string {
    this.#directory ??= mkdtempSync(join(tmpdir(), "sdk-test-"));
    return this.#directory;
  }

  /** Writes a file into the directory and returns its path. */
  async writeFile(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.directory, name);
    await writeFile(path, content);
    return path;
  }

  /** A run with a file ledger in the directory; a first run, unless the installation has a completed batch. */
  run<const S extends SnapshotCollection>(
    snapshots: readonly S[],
    fn: RunFunction<S>,
    options?: Partial<RunOptions>,
  ): Promise<RunReceipt> {
    const { installationId = this.installationId } = options ?? {};
    const { batches } = this.server.inspect(installationId);
    const firstRun = !batches.some(({ state }) => state === "completed");
    const ledger = fileLedger(this.directory);
    return this.sync.run(connectorOf(snapshots, fn), { installationId, ledger, firstRun, ...options });
  }

  /** A run that sends these accounts. */
  runAccounts(ids: readonly string[], options?: Partial<RunOptions>): Promise<RunReceipt> {
    return this.run(
      ["accounts"],
      async (batch) => void (await batch.write("accounts", accounts(ids))),
      options,
    );
  }

  inspect(): Inspection {
    return this.server.inspect(this.installationId);
  }

  /** The service's records of a collection; empty if an adopted contract lacks the collection. */
  stored(collection: string): readonly Readonly<Record<string, unknown>>[] {
    const rows: readonly { readonly record: object }[] =
      new Map(Object.entries(this.inspect().snapshots)).get(collection) ?? [];
    return rows.map(({ record }) => ({ ...record }));
  }

  /** Ids of the accounts that the service holds and has not marked as removed, sorted. */
  present(): string[] {
    const { snapshots } = this.inspect();
    return snapshots.accounts
      .filter(({ removed }) => !removed)
      .map(({ id }) => id)
      .sort();
  }

  /** The states of all batches, in the order of their start. */
  states(): string[] {
    return this.inspect().batches.map(({ state }) => state);
  }

  /** Paths of the ledger's files, without the journal's. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !basename(path).startsWith("journal."))
      .sort();
  }

  /** Paths of the journal's entries. */
  async journal(): Promise<string[]> {
    const names = await readdir(this.directory, { recursive: true });
    const own = names.filter((name) => basename(name).startsWith("journal."));
    return own.map((name) => join(this.directory, name)).sort();
  }

  /** The one ledger file whose name matches. */
  async file(name: RegExp): Promise<string> {
    const found = (await this.files()).filter((path) => name.test(path));
    const [path] = found;
    if (path === undefined || found.length > 1) throw new Error(`${found.length} files match ${name}.`);
    return path;
  }

  #closing<C extends { close(): Promise<void> }>(client: C): C {
    this.#clients.push(client);
    return client;
  }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The test service runs within tests only.");
  return value;
}

/** A run that the guard held. The figures of a reason's `diff` are in the reason itself. */
export interface HeldRun {
  readonly error: RunHeldError;
  readonly message: string;
  readonly approvalId: string | undefined;
  readonly reasons: readonly (Omit<HeldReason, "diff"> & SnapshotDiff)[];
}

export async function heldBy(run: Promise<unknown>): Promise<HeldRun> {
  const error = await run.then(
    () => new Error("The run was not held."),
    (reason: unknown) => reason,
  );
  if (!(error instanceof RunHeldError)) throw error;
  const { message, report } = error;
  const reasons = report.reasons.map(({ diff, ...reason }) => ({ ...reason, ...diff }));
  return { error, message, approvalId: report.approval?.id, reasons };
}
