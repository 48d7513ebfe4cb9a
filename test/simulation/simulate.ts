/** Runs a program to its end against the model of the service, without any real waiting. */
import { SyncEngine } from "../../src/runs/engine.js";
import { resolveSyncOptions } from "../../src/sync/options.js";
import type { Conduct } from "./conduct.js";
import { FaultSchedule, type ScheduledFault } from "./faults.js";
import { API_KEY } from "./faulty-network.js";
import type { LockLog } from "./lock-log.js";
import { MemoryFiles } from "./memory-files.js";
import { Observation } from "./observation.js";
import { runProcess } from "./process.js";
import type { ProcessParts } from "./process-parts.js";
import type { Program, Session } from "./program.js";
import { ServiceModel } from "./service-model.js";
import { settle, withoutChance } from "./settle.js";
import { type Known, SharedLedger } from "./shared-ledger.js";
import { SimClock } from "./sim-clock.js";
import { SimulatedTransport } from "./transport.js";
import { warmUp } from "./warm-up.js";

/** The result of a program. */
export interface Simulated {
  readonly service: ServiceModel;
  readonly observation: Observation;
  readonly clock: SimClock;
  readonly fired: readonly ScheduledFault[];
  readonly crashed: boolean;
  /** Faults and successes that were required but didn't happen. */
  readonly missed: readonly string[];
  /** What each process did on the wire. */
  readonly conducts: readonly Conduct[];
  /** What each process knows of the locks it asked for. */
  readonly locks: readonly LockLog[];
  /** Batches for which the service acknowledged fewer records than it was sent. */
  readonly undercounted: ReadonlySet<string>;
  /** What the ledger of the runs knows at the end, or why it cannot be read. */
  readonly known: Known | string;
  /** What is left in the folder for temporary files. */
  readonly leftFiles: readonly string[];
  /** Whether everything settled. */
  readonly settled: boolean;
  readonly unhandled: readonly unknown[];
}

/** Bytes of a message and of a window: small, so that a few records fill several of them. */
const MESSAGE_BYTES = 120;
const WINDOW_BYTES = 260;

/** Longer than a run waits for its ledger to list other runs' batches. */
const GRACE_MS = 6000;

const ENDPOINT = "https://sync.example.com";
const INSTALLATION = "installation-1";

await warmUp();

export async function simulate(program: Program): Promise<Simulated> {
  const clock = new SimClock();
  const observation = new Observation();
  const service = new ServiceModel(observation.tick);
  const faults = new FaultSchedule(program.faults);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const log = (message: string, details?: object) => observation.told.push([message, details]);
  const allowChance = withoutChance();
  const files = new MemoryFiles(program.diskBytes);
  const unmount = files.mount();
  const ledger = new SharedLedger(clock, program.ledgerMs);
  const transports: SimulatedTransport[] = [];
  const open = (): ProcessParts => {
    const death = new AbortController();
    const crash = () => {
      transport.crash();
      death.abort();
      void client.close();
    };
    const transport = new SimulatedTransport(service, faults, clock, observation, program, crash);
    transports.push(transport);
    const configuration = resolveSyncOptions({
      endpoint: ENDPOINT,
      apiKey: API_KEY,
      clock,
      logger: { debug: log, info: log, warn: log, error: log },
      retry: { retries: 2 },
      ...sizes(program),
    });
    const client = new SyncEngine(configuration, transport);
    return {
      client,
      installationId: INSTALLATION,
      ledger: ledger.of(death.signal),
      memoryBytes: program.memoryBytes,
      service,
      conduct: transport.conduct,
      clock,
      observation,
      crash,
      dead: death.signal,
    };
  };
  let done = 0;
  const processes = program.clients.map(async (sessions) => {
    let rest: readonly Session[] = await runProcess(sessions, open());
    while (rest.length > 0) {
      await clock.sleepElsewhere(program.restartAfterMs);
      rest = await runProcess(rest, open());
    }
    // Nobody awaits the last calls to a slow ledger, so this gives them time to end.
    if (program.ledgerMs > 0) await clock.sleepElsewhere(GRACE_MS);
    done += 1;
  });
  try {
    const settled = await settle(clock, () => done === processes.length);
    if (settled) await Promise.all(processes);
    return {
      service,
      observation,
      clock,
      fired: faults.fired,
      crashed: transports.some(({ locks }) => locks.crashed),
      missed: [
        ...faults.missed.map((fault) => `a fault never fired: ${JSON.stringify(fault)}`),
        ...unsuccessful(program, service),
      ],
      conducts: transports.map(({ conduct }) => conduct),
      locks: transports.map(({ locks }) => locks),
      undercounted: new Set(transports.flatMap(({ undercounted }) => [...undercounted])),
      known: await ledger.known(ENDPOINT, INSTALLATION),
      leftFiles: settled ? files.left : [],
      settled,
      unhandled,
    };
  } finally {
    process.off("unhandledRejection", note);
    allowChance();
    unmount();
  }
}

/** Size options of a program's clients. With a small limit, only the limit splits messages. */
function sizes({ limitBytes }: Program) {
  return limitBytes === undefined
    ? { messageBytes: MESSAGE_BYTES, windowBytes: WINDOW_BYTES }
    : { maxSendMessageBytes: limitBytes - 1, windowBytes: WINDOW_BYTES };
}

/** A violation if a program that must succeed has completed no batch. */
function unsuccessful({ succeeds }: Program, { batches }: ServiceModel): readonly string[] {
  if (!succeeds || batches.some(({ state }) => state === "completed")) return [];
  return ["no batch was completed, although the retries should do"];
}
