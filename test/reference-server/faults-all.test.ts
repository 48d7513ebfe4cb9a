import { GraphQLClient } from "@saas-management/sdk/graphql";
import { type Fault, startReferenceServer } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { createSyncClient } from "../../src/sync/client.js";
import { drawFaults, drawOf, type Place, SeededRandom } from "../support/fault-schedule.js";
import { APPLICATIONS, judgedBatch, judgedWalk, PAGES, writeBefore } from "../support/judged-programs.js";
import { until } from "../support/promises.js";
import { forSeeds } from "../support/property-runs.js";
import { SteppedClock, settleOn } from "../support/stepped-clock.js";

/** Default timeout of an operation. */
const OPERATION_MS = 100_000;

/** Milliseconds: unnoticed, short, long, above the default timeout, above the lease. */
const PAUSES_MS = [1, 1000, 30_000, 120_000, 1_000_000] as const;

/** The host cannot exist (RFC 2606): a client that follows sends its key nowhere. */
const REDIRECT = { location: "https://other-host.invalid/graphql" };

/** Draws a fault of any kind, also one that takes time or misleads. */
function drawAny(place: Place, random: SeededRandom): Fault {
  const at = random.pick(["request", "answer"]);
  const pause: Fault = { ...place, fault: "delay", ms: random.pick(PAUSES_MS), at };
  const common: readonly [Fault, ...Fault[]] = [
    drawOf("any")(place, random),
    drawOf("any")(place, random),
    pause,
    { ...place, fault: "stall", at },
  ];
  if (place.on !== "Applications") return random.pick(common);
  return random.pick<Fault>([
    ...common,
    { ...place, fault: "slow-body", ms: random.pick(PAUSES_MS), pieces: 1 + random.below(5) },
    { ...place, fault: "endless-body" },
    { ...place, fault: "http", status: 503, headers: { "retry-after": random.pick(["5", "259200"]) }, at },
    { ...place, fault: "http", status: random.pick([301, 302, 303, 307, 308]), headers: REDIRECT, at },
    { ...place, fault: "page-info", cursor: random.pick(["repeated", "missing"]) },
  ]);
}

/** The least number of calls of both programs. */
const CALLS = { StartSyncBatch: 1, SyncRecords: 3, CompleteSyncBatch: 1, Applications: PAGES };

const draw = (seed: number, count: number) =>
  drawFaults(new SeededRandom(seed), { count, calls: CALLS, draw: drawAny });

type Added = { readonly fault: Fault; readonly added: { readonly fired: number } };

/** Number of strikes that never end by themselves. */
function hangs(faults: readonly Added[]): number {
  return faults
    .filter(({ fault: { fault } }) => fault === "stall" || fault === "endless-body")
    .reduce((sum, { added }) => sum + added.fired, 0);
}

/** Whether the batch was completed but a status replaced the answer. */
function isLie({ fault: { on, fault, at }, added }: Added): boolean {
  return on === "CompleteSyncBatch" && fault === "status" && at === "answer" && added.fired > 0;
}

/** Walks through pages and then runs a batch, with one clock for server and clients. */
async function runUnder(drawn: readonly Fault[]) {
  const clock = new SteppedClock();
  await using server = await startReferenceServer({ clock, portfolio: { applications: APPLICATIONS } });
  const { baseUrl, syncUrl, apiKey } = server;
  const graphql = new GraphQLClient({ baseUrl, apiKey, clock });
  // Accounts take two windows, of two messages and of one, and usage takes one.
  const sync = createSyncClient({ endpoint: syncUrl, apiKey, clock, messageBytes: 1000, windowBytes: 2000 });
  await writeBefore(sync, server);
  const faults = drawn.map((fault) => ({ fault, added: server.faults.add(fault) }));
  const settle = settleOn(clock, () => OPERATION_MS * hangs(faults));
  try {
    const walk = await judgedWalk(graphql, settle);
    await graphql.close();
    // A delayed answer of the walk must not delay the batch.
    await until(() => clock.nextPauseMs === undefined);
    const batch = await judgedBatch(sync, server, settle, { lied: () => faults.some(isLie) });
    return { walk, batch: batch.outcome, missed: faults.filter(({ added }) => added.fired === 0) };
  } finally {
    await graphql.close();
    await settle(sync.close());
  }
}

test("lets every call succeed or fail with an SDK error under one fault, which harms nothing else", () =>
  forSeeds(
    16,
    (seed) => draw(seed, 1),
    async (faults) => {
      const { walk, batch, missed } = await runUnder(faults);
      expect(missed).toEqual([]);
      const harmsBoth = faults.some(({ fault }) => fault === "revoke-key");
      const harmsGraphQL = faults.some(({ on }) => on === "Applications");
      if (!harmsBoth && !harmsGraphQL) expect(walk).toBe("done");
      if (!harmsBoth && harmsGraphQL) expect(batch).toBe("done");
    },
  ));

test("lets every call succeed or fail with an SDK error under many faults", () =>
  forSeeds(
    8,
    (seed) => draw(seed, 6),
    async (faults) => void (await runUnder(faults)),
  ));
