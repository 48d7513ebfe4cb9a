/** Runs a program to its end against the model of the service, without any real waiting. */
import { memoryLedger } from "@saas-management/sdk/testing";
import { SyncEngine } from "../../src/sync/engine.js";
import { resolveSyncOptions } from "../../src/sync/options.js";
import type { Conduct } from "./conduct.js";
import { FaultSchedule, type ScheduledFault } from "./faults.js";
import { API_KEY } from "./faulty-network.js";
import type { LockLog } from "./lock-log.js";
import { Observation } from "./observation.js";
import { withoutCompression } from "./plain-gzip.js";
import { runProcess } from "./process.js";
import type { Program } from "./program.js";
import { ServiceModel } from "./service-model.js";
import { settle, withoutChance } from "./settle.js";
import { SimClock } from "./sim-clock.js";
import { SimulatedTransport } from "./transport.js";
import { warmUp } from "./warm-up.js";

/** How a program went. */
export interface Simulated {
  readonly service: ServiceModel;
  readonly observation: Observation;
  readonly clock: SimClock;
  readonly apiKey: string;
  readonly fired: readonly ScheduledFault[];
  readonly crashed: boolean;
  /** What was planned and did not come to pass. */
  readonly missed: readonly string[];
  /** What each client did on the wire. */
  readonly conducts: readonly Conduct[];
  /** What each client knows of the locks it asked for. */
  readonly locks: readonly LockLog[];
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted: ReadonlySet<string>;
  /** Whether everything settled. */
  readonly settled: boolean;
  readonly unhandled: readonly unknown[];
}

/** Bytes of a message and of a window: small, so that a few records make several. */
const MESSAGE_BYTES = 120;
const WINDOW_BYTES = 260;

// Loaded with the first write otherwise, in turns that are not the simulation's.
await Promise.all([warmUp(), import("../../src/sync/run/sync-run.js")]);

export async function simulate(program: Program): Promise<Simulated> {
  const clock = new SimClock();
  const service = new ServiceModel();
  const faults = new FaultSchedule(program.faults);
  const observation = new Observation();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const log = (message: string, details?: object) => observation.told.push([message, details]);
  const allowChance = withoutChance();
  const compress = withoutCompression();
  const ledger = memoryLedger();
  const transports: SimulatedTransport[] = [];
  let done = 0;
  const processes = program.clients.map(async (sessions) => {
    const transport = new SimulatedTransport(service, faults, clock, program.limitBytes);
    transports.push(transport);
    const configuration = resolveSyncOptions({
      endpoint: "https://sync.example.com",
      apiKey: API_KEY,
      clock,
      logger: { debug: log, info: log, warn: log, error: log },
      retry: { retries: 2 },
      ...sizes(program),
    });
    const client = new SyncEngine(configuration, transport);
    await runProcess(sessions, {
      client,
      installationId: "installation-1",
      ledger,
      eventsOf: (collection) => new Set(service.events.get(collection)?.keys()),
      clock,
      observation,
      crash: () => transport.crash(),
    });
    done += 1;
  });
  try {
    const settled = await settle({ clock, done: () => done === processes.length });
    if (settled) await Promise.all(processes);
    return {
      service,
      observation,
      clock,
      apiKey: API_KEY,
      fired: faults.fired,
      crashed: transports.some(({ locks }) => locks.crashed),
      missed: [
        ...faults.missed.map((fault) => `a fault never struck: ${JSON.stringify(fault)}`),
        ...unsuccessful(program, service),
      ],
      conducts: transports.map(({ conduct }) => conduct),
      locks: transports.map(({ locks }) => locks),
      undercounted: new Set(transports.flatMap(({ undercounted }) => [...undercounted])),
      settled,
      unhandled,
    };
  } finally {
    process.off("unhandledRejection", note);
    allowChance();
    compress();
  }
}

/** What a program's clients are told of sizes: where the limit is small, nothing but the limit cuts messages. */
function sizes({ limitBytes }: Program) {
  return limitBytes === undefined
    ? { messageBytes: MESSAGE_BYTES, windowBytes: WINDOW_BYTES }
    : { maxSendMessageBytes: limitBytes - 1, windowBytes: WINDOW_BYTES };
}

/** What a program should have reached whatever went wrong. */
export function unsuccessful(
  { succeeds }: { readonly succeeds: boolean },
  { batches }: ServiceModel,
): readonly string[] {
  if (!succeeds || batches.some(({ state }) => state === "completed")) return [];
  return ["no batch was completed, although the retries should do"];
}
