import { SaasManagementError, type SyncBatch } from "@saas-management/sdk";
import {
  type Fault,
  type ReferenceServer,
  startReferenceServer,
  TestClock,
} from "@saas-management/sdk/testing";
import { onTestFinished } from "vitest";
import { createSyncClient } from "../../src/sync/client.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { accounts } from "./accounts.js";

/** The outcome of a program that starts a batch, writes two messages of two accounts each, and ends it. */
export interface ProgramOutcome {
  /** The call that failed, or "done". */
  readonly ended: "start" | "write" | "complete" | "abort" | "done";
  /** Code and `retryable` of the error; undefined if there was none. */
  readonly error: string | undefined;
  readonly retryable: boolean | undefined;
  /** Names of the operations that were retried. */
  readonly retried: string;
  /** State of the handle. */
  readonly handle: string | undefined;
  /** States of the server's batches, in order of their start. */
  readonly batches: string;
  readonly locked: boolean;
  /** Number of accounts on the server. */
  readonly stored: number;
  /** Number of times that the fault has fired. */
  readonly fired: number;
}

/** A server with a fault, and the clock of its client. */
export interface FaultProgram {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  /** Number of times that the fault has fired. */
  fired(): number;
  run(ending?: "complete" | "abort"): Promise<ProgramOutcome>;
}

export async function startProgram(
  fault: Fault | undefined,
  options: {
    readonly server?: Parameters<typeof startReferenceServer>[0];
    readonly client?: Partial<SyncClientOptions>;
    /** Number of accounts to write. @default 4 */
    readonly accounts?: number;
  } = {},
): Promise<FaultProgram> {
  const startAt = new Date(Date.UTC(2026, 5, 1));
  const server = await startReferenceServer({ clock: new TestClock({ startAt }), ...options.server });
  const clock = new TestClock();
  const retried: string[] = [];
  const client = createSyncClient({
    onEvent: ({ type, operation }) => void (type === "retry" && retried.push(operation)),
    endpoint: server.syncUrl,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    messageBytes: 2 * BYTES,
    ...options.client,
  });
  onTestFinished(async () => {
    const closed = client.close();
    // The client waits some time for a start that is never answered.
    clock.advance(CLOSE_GRACE_MS);
    await closed;
    await server.close();
  });
  const handle = fault === undefined ? undefined : server.faults.add(fault);
  return {
    server,
    clock,
    fired: () => handle?.fired ?? 0,
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
        fired: handle?.fired ?? 0,
      };
    },
  };
}

/** Longest wait of close() for starts that are not answered. */
const CLOSE_GRACE_MS = 5000;

/** Approximate size of an account. */
const BYTES = 400;
