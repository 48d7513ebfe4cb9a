/** Programs over real sockets: the same sessions, and what server and network do wrong. */
import { status } from "@grpc/grpc-js";
import type { Fault } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { drawFaults, SeededRandom } from "../../support/fault-schedule.js";
import { type FaultKind, faultOn } from "../../support/faults.js";
import { nth, REFUSALS } from "../fault-arbitrary.js";
import { OPERATIONS } from "../faults.js";
import type { Program } from "../program.js";
import { clients, delay, plainRun } from "../session-arbitrary.js";
import { memoryBytes } from "../setting-arbitrary.js";
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
  /**
   * Whether a stream takes no more than its first message, and the answer to it does not say how many records it
   * accepted.
   */
  readonly curt: boolean;
  readonly atMostOnce: boolean;
  /** What a run keeps in memory before it uses a file, in bytes. */
  readonly memoryBytes: number | undefined;
  /** Whether the first session has to succeed, whatever else happens. */
  readonly succeeds: boolean;
}

const MINUTES = 60_000;
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

const at = fc.constantFrom("request" as const, "answer" as const);
const kindAt = <Kind extends FaultKind["fault"]>(fault: Kind) => fc.record({ fault: fc.constant(fault), at });

const wholeCallKind: fc.Arbitrary<FaultKind> = fc.oneof(
  { weight: 2, arbitrary: kindAt("drop") },
  { weight: 2, arbitrary: kindAt("reset") },
  {
    weight: 2,
    arbitrary: fc.record({
      fault: fc.constant("rst-stream" as const),
      code: fc.oneof(fc.constantFrom(...RESETS), fc.constant(CALM_DOWN)),
      at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ fault: fc.constant("goaway" as const), grace: fc.boolean(), at }),
  },
  {
    weight: 3,
    arbitrary: fc
      .oneof(
        fc.record({ refusal: fc.constantFrom(...REFUSALS), at: fc.constant("request" as const) }),
        fc.record({ refusal: fc.constantFrom(...LOST_ANSWERS), at: fc.constant("answer" as const) }),
      )
      .map(({ refusal: { code, details }, at: moment }) => ({
        fault: "status" as const,
        status: nameOf(code),
        details,
        at: moment,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      fault: fc.constant("delay" as const),
      ms: fc.oneof(delay, fc.constant(STALLED_MS)),
      at,
    }),
  },
  { weight: 1, arbitrary: kindAt("lease-expiry") },
  { weight: 1, arbitrary: kindAt("lock-stolen") },
  { weight: 1, arbitrary: kindAt("revoke-key") },
);

const operation = fc.constantFrom(...OPERATIONS);
const message = fc.integer({ min: 1, max: 3 });

const serverFault: fc.Arbitrary<Fault> = fc
  .oneof(
    { weight: 4, arbitrary: fc.record({ on: operation, nth, kind: wholeCallKind }) },
    {
      weight: 1,
      arbitrary: fc.record({ on: operation, nth, kind: fc.constant({ fault: "oversized-answer" as const }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        on: fc.constant("SyncRecords" as const),
        nth,
        message,
        kind: fc.oneof<fc.WeightedArbitrary<FaultKind>[]>(
          { weight: 4, arbitrary: wholeCallKind },
          { weight: 1, arbitrary: fc.record({ fault: fc.constant("early-answer" as const), message, at }) },
        ),
      }),
    },
  )
  .map(({ kind, ...place }) => faultOn(place, kind));

const networkKind: fc.Arbitrary<NetworkFaultKind> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("late" as const), ms: delay }) },
  { weight: 1, arbitrary: fc.constant({ type: "half-open" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "restart" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "crash" as const }) },
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
  .map((drawn) => ({ ...drawn, curt: false, succeeds: false, faults: drawn.faults.map(certain(drawn)) }));

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
      curt: false,
      atMostOnce: false,
      memoryBytes: drawnBytes,
      succeeds: true,
    };
  });

/** The service answers in mid-stream, before everything can have been sent, and says nothing but that all is well. */
const answeredEarly: fc.Arbitrary<SocketProgram> = fc
  .record({ records: fc.integer({ min: 4, max: 6 }), at })
  .map(({ records, at: moment }) => ({
    clients: [[plainRun([records], 0)]],
    faults: [
      {
        fault: { on: "SyncRecords", message: 1, fault: "early-answer", at: moment },
        certain: true,
      },
    ],
    network: [],
    curt: true,
    atMostOnce: false,
    memoryBytes: undefined,
    succeeds: false,
  }));

/** Random programs. */
export const socketProgram: fc.Arbitrary<SocketProgram> = fc.oneof(
  { weight: 12, arbitrary: wild },
  { weight: 4, arbitrary: planned },
  { weight: 1, arbitrary: answeredEarly },
);
