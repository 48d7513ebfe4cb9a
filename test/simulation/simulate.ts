/** Runs a program to its end against the model of the service, without any real waiting. */
import { resolveSyncOptions } from "../../src/sync/configuration.js";
import { SyncEngine } from "../../src/sync/engine.js";
import { running } from "../../src/sync/load-run.js";
import { examination, writing } from "../../src/sync/load-writing.js";
import { FaultSchedule, type ScheduledFault } from "./faults.js";
import { Observation } from "./observation.js";
import { runProcess } from "./process.js";
import type { Program } from "./program.js";
import { ServiceModel } from "./service-model.js";
import { SimClock } from "./sim-clock.js";
import { SimulatedTransport } from "./transport.js";

/** How a program went. */
export interface Simulated {
  readonly service: ServiceModel;
  readonly observation: Observation;
  readonly clock: SimClock;
  readonly fired: readonly ScheduledFault[];
  readonly crashed: boolean;
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted: ReadonlySet<string>;
  /** What a client did on the wire that it must not. */
  readonly misdeeds: readonly string[];
  /** Whether everything settled. */
  readonly settled: boolean;
  readonly unhandled: readonly unknown[];
}

/** Turns of the event loop in which nothing happens, after which nothing will without the clock. */
const QUIET_TURNS = 4;
/** Steps of the clock after which a program that goes on is taken to go on for ever. */
const MAX_STEPS = 5000;

/** Bytes of a message and of a window: small, so that a few records make several. */
const MESSAGE_BYTES = 120;
const WINDOW_BYTES = 260;

// Loaded with the first write otherwise, in turns that are not the simulation's.
await Promise.all([writing.load(), examination.load(), running.load()]);

export async function simulate(program: Program): Promise<Simulated> {
  const clock = new SimClock();
  const service = new ServiceModel();
  const faults = new FaultSchedule(program.faults);
  const observation = new Observation();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const log = (message: string, details?: object) => observation.told.push([message, details]);
  const { random } = Math;
  Math.random = sequence();
  let crashed = false;
  const transports: SimulatedTransport[] = [];
  let done = 0;
  const processes = program.clients.map(async (sessions) => {
    const transport = new SimulatedTransport(service, faults, clock);
    transports.push(transport);
    const configuration = resolveSyncOptions({
      endpoint: "https://sync.example.com",
      apiKey: "key-of-the-simulation",
      clock,
      logger: { debug: log, info: log, warn: log, error: log },
      retry: { retries: 2 },
      messageBytes: MESSAGE_BYTES,
      windowBytes: WINDOW_BYTES,
    });
    const client = new SyncEngine(configuration, transport);
    await runProcess(sessions, {
      client,
      clock,
      observation,
      crash: () => {
        crashed = true;
        transport.crash();
      },
    });
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
      crashed,
      undercounted: new Set(transports.flatMap(({ undercounted }) => [...undercounted])),
      misdeeds: transports.flatMap(({ misdeeds }) => misdeeds),
      settled,
      unhandled,
    };
  } finally {
    process.off("unhandledRejection", note);
    Math.random = random;
  }
}

/** The same numbers each time, in place of chance: a program that failed fails again. */
function sequence(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Lets everything happen that can, moving the clock whenever nothing else goes on. */
async function settle(clock: SimClock, done: () => boolean): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    await quiet(clock);
    if (done()) return true;
    if (!clock.step()) return false;
  }
  return false;
}

async function quiet(clock: SimClock): Promise<void> {
  let seen = clock.activity;
  for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.activity === seen) continue;
    seen = clock.activity;
    turns = 0;
  }
}
