import {
  type ReferenceServer,
  type ReferenceServerOptions,
  type SyncFault,
  startReferenceServer,
  TestClock,
} from "@saas-management/sdk/reference-server";
import {
  SaasManagementError,
  type SyncBatch,
  SyncClient,
  type SyncClientOptions,
} from "@saas-management/sdk/sync";
import { onTestFinished } from "vitest";
import { accounts } from "./sync-harness.js";

/** What became of a program that starts a batch, writes two messages of two accounts each, and ends it. */
export interface ProgramOutcome {
  /** The call that failed; "done" where none did. */
  readonly ended: "start" | "write" | "complete" | "abort" | "done";
  /** Code of the error, and whether it says that trying again may help; undefined where there was none. */
  readonly error: string | undefined;
  readonly retryable: boolean | undefined;
  /** The calls that were repeated, by the name of the operation. */
  readonly retried: string;
  /** State of the handle. */
  readonly handle: string | undefined;
  /** States of the server's batches, in the order of their start. */
  readonly batches: string;
  readonly locked: boolean;
  /** Accounts that the server holds. */
  readonly stored: number;
  /** How often the fault struck. */
  readonly firings: number;
}

/** A server, a client with a clock that can be moved, and the fault that strikes them. */
export interface FaultProgram {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  run(ending?: "complete" | "abort"): Promise<ProgramOutcome>;
}

export async function startProgram(
  fault: Omit<SyncFault, "api"> | undefined,
  options: {
    readonly server?: ReferenceServerOptions;
    readonly client?: Partial<SyncClientOptions>;
    /** How many are written. @default 4 */
    readonly accounts?: number;
  } = {},
): Promise<FaultProgram> {
  const startAt = Date.UTC(2026, 5, 1);
  const server = await startReferenceServer({ clock: new TestClock({ startAt }), ...options.server });
  const clock = new TestClock();
  const retried: string[] = [];
  const client = new SyncClient({
    onRetry: ({ operation }) => void retried.push(operation ?? ""),
    endpoint: server.syncUrl,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    messageBytes: 2 * BYTES,
    ...options.client,
  });
  onTestFinished(async () => {
    const closed = client.close();
    // A start that is never answered is waited for, for a while.
    clock.advance(CLOSE_GRACE_MS);
    await closed;
    await server.close();
  });
  const handle = fault === undefined ? undefined : server.faults.add({ api: "sync", ...fault });
  return {
    server,
    clock,
    run: async (ending = "complete") => {
      let ended: ProgramOutcome["ended"] = "start";
      let batch: SyncBatch | undefined;
      let error: unknown;
      try {
        batch = await client.startBatch({ installationId: server.installationId });
        ended = "write";
        await batch.write("accounts", accounts(options.accounts ?? 4, BYTES - 60));
        ended = ending;
        await batch[ending]();
        ended = "done";
      } catch (reason) {
        error = reason;
        if (!(reason instanceof SaasManagementError)) throw reason;
      }
      const { lock, batches, snapshots } = server.inspect(server.installationId);
      const failure = error instanceof SaasManagementError ? error : undefined;
      return {
        ended,
        error: failure?.code,
        retryable: failure?.retryable,
        retried: retried.join(" "),
        handle: batch?.state,
        batches: batches.map(({ state }) => state).join(" "),
        locked: lock !== null,
        stored: snapshots.accounts.length,
        firings: handle?.firings ?? 0,
      };
    },
  };
}

/** How long a client that closes waits for batches that were started for nobody. */
const CLOSE_GRACE_MS = 5000;

/** Bytes of an account, roughly. */
const BYTES = 400;
