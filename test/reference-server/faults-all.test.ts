import { GraphQLClient } from "@saas-management/sdk/graphql";
import {
  type FaultHandle,
  type FaultSchedule,
  faultSchedule,
  startReferenceServer,
} from "@saas-management/sdk/reference-server";
import { SyncClient } from "@saas-management/sdk/sync";
import { describe, expect, test } from "vitest";
import { APPLICATIONS, judgedBatch, judgedWalk, PAGES, writeBefore } from "../support/judged-programs.js";
import { until } from "../support/promises.js";
import { forSeeds, TIMEOUT_MS } from "../support/property-runs.js";
import { SteppedClock, settleOn } from "../support/stepped-clock.js";

/** Time that every operation of a client has. */
const OPERATION_MS = 100_000;

/** How often something has been struck that never ends by itself. */
function hangs(handles: readonly FaultHandle[]): number {
  return handles
    .filter(({ fault: { kind } }) => {
      const delivery = kind.type === "http" ? kind.delivery : undefined;
      return kind.type === "stall" || kind.type === "endless-body" || delivery?.type === "endless-body";
    })
    .reduce((sum, { firings }) => sum + firings, 0);
}

/** Whether the batch was completed, and a status was sent in place of the answer. */
function isLie({ fault, firings }: FaultHandle): boolean {
  const { operation, kind } = fault;
  return (
    operation === "CompleteSyncBatch" && kind.type === "grpc-status" && kind.at === "answer" && firings > 0
  );
}

/** A walk through pages and then a batch, by clients that live in the server's time. */
async function runUnder(schedule: FaultSchedule) {
  const clock = new SteppedClock();
  await using server = await startReferenceServer({ clock, portfolio: { applications: APPLICATIONS } });
  const { baseUrl, syncUrl, apiKey } = server;
  const graphql = new GraphQLClient({ baseUrl, apiKey, clock });
  // Accounts take two windows, of two messages and of one, and usage takes one.
  const sync = new SyncClient({ endpoint: syncUrl, apiKey, clock, messageBytes: 1000, windowBytes: 2000 });
  await writeBefore(sync, server);
  const handles = server.faults.schedule(schedule);
  const settle = settleOn(clock, () => OPERATION_MS * hangs(handles));
  try {
    const walk = await judgedWalk(graphql, settle);
    await graphql.close();
    // An answer that was held back for the walk holds up nobody else.
    await until(() => clock.nextPauseMs === undefined);
    const batch = await judgedBatch(sync, server, settle, { lied: () => handles.some(isLie) });
    server.faults.assertFired();
    return { walk, batch: batch.outcome };
  } finally {
    await graphql.close();
    await settle(sync.close());
  }
}

/** What both programs call at least. */
const CALLS = {
  sync: { StartSyncBatch: 1, SyncRecords: 3, CompleteSyncBatch: 1 },
  messages: 1,
  graphql: { Applications: PAGES },
  severity: "all",
} as const;

describe("every call ends right, or with an error of the SDK", { timeout: TIMEOUT_MS }, () => {
  test("when any one thing goes wrong, which harms nothing else", () =>
    forSeeds(
      50,
      (seed) => faultSchedule({ seed, count: 1, ...CALLS }),
      async (schedule) => {
        const { walk, batch } = await runUnder(schedule);
        const harms = new Set(
          schedule.faults.map(({ api, kind }) => (kind.type === "revoke-key" ? "both" : api)),
        );
        if (harms.has("sync")) expect(walk).toBe("done");
        if (harms.has("graphql")) expect(batch).toBe("done");
      },
    ));

  test("when many things go wrong together", () =>
    forSeeds(
      30,
      // What an earlier fault ends is not struck by a later one.
      (seed): FaultSchedule => ({
        seed,
        faults: faultSchedule({ seed, count: 6, ...CALLS }).faults.map((fault) => ({ ...fault, atLeast: 0 })),
      }),
      async (schedule) => void (await runUnder(schedule)),
    ));
});
