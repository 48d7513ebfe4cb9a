import { GraphQLClient } from "@saas-management/sdk/graphql";
import {
  type FaultHandle,
  type FaultSchedule,
  faultSchedule,
  startReferenceServer,
} from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { SyncClient } from "../../src/sync/client.js";
import { APPLICATIONS, judgedBatch, judgedWalk, PAGES, writeBefore } from "../support/judged-programs.js";
import { until } from "../support/promises.js";
import { forSeeds } from "../support/property-runs.js";
import { SteppedClock, settleOn } from "../support/stepped-clock.js";

/** Default timeout of an operation. */
const OPERATION_MS = 100_000;

/** Number of strikes that never end by themselves. */
function hangs(handles: readonly FaultHandle[]): number {
  return handles
    .filter(({ fault: { kind } }) => {
      const delivery = kind.type === "http" ? kind.delivery : undefined;
      return kind.type === "stall" || kind.type === "endless-body" || delivery?.type === "endless-body";
    })
    .reduce((sum, { firings }) => sum + firings, 0);
}

/** Whether the batch was completed but a status replaced the answer. */
function isLie({ fault, firings }: FaultHandle): boolean {
  const { operation, kind } = fault;
  return (
    operation === "CompleteSyncBatch" && kind.type === "grpc-status" && kind.at === "answer" && firings > 0
  );
}

/** Walks through pages and then runs a batch, with one clock for server and clients. */
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
    // A delayed answer of the walk must not delay the batch.
    await until(() => clock.nextPauseMs === undefined);
    const batch = await judgedBatch(sync, server, settle, { lied: () => handles.some(isLie) });
    server.faults.assertFired();
    return { walk, batch: batch.outcome };
  } finally {
    await graphql.close();
    await settle(sync.close());
  }
}

/** The least number of calls of both programs. */
const CALLS = {
  sync: { StartSyncBatch: 1, SyncRecords: 3, CompleteSyncBatch: 1 },
  messages: 1,
  graphql: { Applications: PAGES },
  severity: "all",
} as const;

test("lets every call succeed or fail with an SDK error under one fault, which harms nothing else", () =>
  forSeeds(
    16,
    (seed) => faultSchedule({ seed, count: 1, ...CALLS }),
    async (schedule) => {
      const { walk, batch } = await runUnder(schedule);
      const harmed = new Set(
        schedule.faults.map(({ api, kind }) => (kind.type === "revoke-key" ? "both" : api)),
      );
      if (harmed.has("sync")) expect(walk).toBe("done");
      if (harmed.has("graphql")) expect(batch).toBe("done");
    },
  ));

test("lets every call succeed or fail with an SDK error under many faults", () =>
  forSeeds(
    8,
    // A fault that ends the program keeps later ones from striking.
    (seed): FaultSchedule => ({
      seed,
      faults: faultSchedule({ seed, count: 6, ...CALLS }).faults.map((fault) => ({ ...fault, atLeast: 0 })),
    }),
    async (schedule) => void (await runUnder(schedule)),
  ));
