/** Programs over real sockets: the same sessions, and what server and network do wrong. */
import { status } from "@grpc/grpc-js";
import type { Fault } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { drawFaults, SeededRandom } from "../../support/fault-schedule.js";
import { type FaultKind, faultOn } from "../../support/faults.js";
import { delay, MINUTES, memoryBytes, oneOf, weighted } from "../drawing.js";
import { nth, REFUSALS } from "../fault-arbitrary.js";
import { OPERATIONS } from "../faults.js";
import type { Program } from "../program.js";
import { clients, plainRun } from "../session-arbitrary.js";
import type { NetworkFault, NetworkFaultKind } from "./network.js";

/** What the server does wrong. A program in which one that is certain does not strike has failed. */
export interface ServerFault {
  readonly fault: Fault;
  readonly certain: boolean;
}

export interface SocketProgram {
  readonly clients: Program["clients"];
  readonly faults: readonly ServerFault[];
  readonly network: readonly NetworkFault[];
  readonly atMostOnce: boolean;
  /** What a run keeps in memory before it uses a file, in bytes. */
  readonly memoryBytes: number | undefined;
  /** Whether the first session has to succeed, whatever else happens. */
  readonly succeeds: boolean;
}

/** Nobody waits so long: a call that is delayed by it is stalled, and the simulation knows of it. */
export const STALLED_MS = 24 * 60 * MINUTES;

/** NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL. */
const RESETS = [2, 7, 8] as const;
/** NGHTTP2_ENHANCE_YOUR_CALM, which gRPC gives the status of a refusal. */
const CALM_DOWN = 11;

/** Statuses that a proxy gives in place of an answer; that of a refusal would be a lie. */
const LOST_ANSWERS = REFUSALS.filter(
  ({ code, details }) => [1, 4, 14].includes(code) || details.includes("RST_STREAM"),
);

const nameOf = (code: number) => status[code] as Extract<Fault, { fault: "status" }>["status"];

const at = oneOf("request", "answer");

const refusal = fc
  .oneof(
    fc.record({ refused: oneOf(...REFUSALS), at: oneOf("request") }),
    fc.record({ refused: oneOf(...LOST_ANSWERS), at: oneOf("answer") }),
  )
  .map(({ refused: { code, details }, at: moment }) => ({
    fault: "status" as const,
    status: nameOf(code),
    details,
    at: moment,
  }));

const ofCalls: fc.Arbitrary<FaultKind> = fc.oneof<fc.WeightedArbitrary<FaultKind>[]>(
  weighted(2, fc.record({ fault: oneOf("drop"), at })),
  weighted(2, fc.record({ fault: oneOf("reset"), at })),
  weighted(2, fc.record({ fault: oneOf("rst-stream"), code: oneOf(...RESETS, CALM_DOWN), at })),
  weighted(2, fc.record({ fault: oneOf("goaway"), grace: fc.boolean(), at })),
  weighted(3, refusal),
  weighted(2, fc.record({ fault: oneOf("delay"), ms: fc.oneof(delay, fc.constant(STALLED_MS)), at })),
  weighted(1, fc.record({ fault: oneOf("lease-expiry"), at })),
  weighted(1, fc.record({ fault: oneOf("lock-stolen"), at })),
  weighted(1, fc.record({ fault: oneOf("revoke-key"), at })),
);

const operation = oneOf(...OPERATIONS);
const oversized = fc.constant({ fault: "oversized-answer" } as const);
const early = fc.record({ fault: oneOf("early-answer"), message: fc.integer({ min: 1, max: 3 }), at });

const serverFault: fc.Arbitrary<Fault> = fc
  .oneof(
    weighted(4, fc.record({ on: operation, nth, kind: ofCalls })),
    weighted(1, fc.record({ on: operation, nth, kind: oversized })),
    weighted(
      3,
      fc.record({
        on: oneOf("SyncRecords"),
        nth,
        message: fc.integer({ min: 1, max: 3 }),
        kind: fc.oneof<fc.WeightedArbitrary<FaultKind>[]>(weighted(4, ofCalls), weighted(1, early)),
      }),
    ),
  )
  .map(({ kind, ...place }) => faultOn(place, kind));

const networkKind: fc.Arbitrary<NetworkFaultKind> = fc.oneof<fc.WeightedArbitrary<NetworkFaultKind>[]>(
  weighted(3, fc.record({ type: oneOf("late"), ms: delay })),
  weighted(1, fc.constant({ type: "half-open" } as const)),
  weighted(1, fc.constant({ type: "restart" } as const)),
  weighted(1, fc.constant({ type: "crash" } as const)),
);

const network: fc.Arbitrary<readonly NetworkFault[]> = fc.array(
  fc.record({ operation, nth, kind: networkKind }),
  { maxLength: 2 },
);

/** Whatever can go wrong, anywhere. Only of the first call of all it is certain that there is one. */
const wild: fc.Arbitrary<SocketProgram> = fc
  .record({
    clients,
    faults: fc.array(serverFault, { maxLength: 6 }),
    network,
    atMostOnce: fc.boolean(),
    memoryBytes,
  })
  .map((drawn) => ({ ...drawn, succeeds: false, faults: drawn.faults.map(certain(drawn)) }));

/** Has a fault strike that cannot but do so. */
function certain({
  clients: processes,
  faults,
  network: striking,
}: Pick<SocketProgram, "clients" | "network"> & { readonly faults: readonly Fault[] }) {
  const starts = processes.some(([first]) => first?.do === "batch");
  const first = faults.find(({ on }) => on === "StartSyncBatch");
  return (fault: Fault): ServerFault => {
    const atOnce = fault.at !== "answer" && fault.fault !== "oversized-answer";
    return {
      fault,
      certain: starts && striking.length === 0 && fault === first && fault.nth === 1 && atOnce,
    };
  };
}

const DEAD_CONNECTION: NetworkFault = { operation: "SyncRecords", nth: 1, kind: { type: "half-open" } };

/**
 * A run that the retries of the SDK bring through two disturbances, each of which has to strike, and a restart through
 * a connection that is dead and does not say so.
 */
const planned: fc.Arbitrary<SocketProgram> = fc
  .record({
    seed: fc.integer(),
    count: fc.integer({ min: 1, max: 2 }),
    records: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 3 }),
    halfOpen: fc.boolean(),
    memoryBytes,
  })
  .map(({ seed, count, records, halfOpen, memoryBytes: drawnBytes }) => {
    const calls = { StartSyncBatch: 1, SyncRecords: records.length, CompleteSyncBatch: 1 };
    const faults = drawFaults(new SeededRandom(seed), { count, calls });
    return {
      clients: [[plainRun(records, halfOpen ? 1 : 0)]],
      faults: faults.map((fault) => ({ fault, certain: true })),
      network: halfOpen ? [DEAD_CONNECTION] : [],
      atMostOnce: false,
      memoryBytes: drawnBytes,
      succeeds: true,
    };
  });

/** Random programs. */
export const socketProgram: fc.Arbitrary<SocketProgram> = fc.oneof(weighted(3, wild), weighted(1, planned));
