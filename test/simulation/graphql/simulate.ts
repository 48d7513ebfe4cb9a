import type { ClientEvent } from "@saas-management/sdk";
/** Runs a program of the GraphQL facade against the model of the service, in simulated time. */
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { Observation } from "../observation.js";
import { settle, withoutChance } from "../settle.js";
import { SimClock } from "../sim-clock.js";
import { close, type ObservedRead, runCaller } from "./caller.js";
import { FaultSchedule, type ScheduledFault } from "./faults.js";
import { Journal } from "./journal.js";
import { keyOption } from "./keys.js";
import { MAX_RESPONSE_BYTES, SimNetwork } from "./network.js";
import type { Program } from "./program.js";
import { SimService } from "./service.js";
import type { ObservedWalk } from "./walks.js";
import "./warm-up.js";

/** The outcome of a program. */
export interface Simulated {
  readonly program: Program;
  readonly client: GraphQLClient;
  readonly service: SimService;
  readonly journal: Journal;
  readonly walks: readonly ObservedWalk[];
  readonly reads: readonly ObservedRead[];
  readonly observation: Observation;
  readonly clock: SimClock;
  readonly fired: readonly ScheduledFault[];
  /** What the hooks received. */
  readonly events: readonly ToldEvent[];
  /** Timers of the client that were left when all callers had ended. */
  readonly leftBeforeClose: number;
  readonly settled: boolean;
  readonly unhandled: readonly unknown[];
}

export interface ToldEvent {
  readonly hook: "request" | "response" | "retry";
  readonly order: number;
  readonly attempt: number;
  readonly outcome?: string;
  readonly code?: string | undefined;
  readonly delayMs?: number;
}

export async function simulate(program: Program): Promise<Simulated> {
  const clock = new SimClock();
  const observation = new Observation();
  const journal = new Journal(clock, observation);
  const service = new SimService(program.rows, program.changes, journal);
  const faults = new FaultSchedule(program.faults);
  const { heedsSignal } = program;
  const network = new SimNetwork({ service, faults, journal, clock, heedsSignal });
  const unhandled: unknown[] = [];
  const noteUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", noteUnhandled);
  const log = (message: string, details?: object) => observation.told.push([message, details]);
  const events: ToldEvent[] = [];
  const onEvent = (event: ClientEvent) => {
    // The logger gets the others as well.
    if (event.type === "request") observation.told.push(event);
    events.push({ hook: event.type, order: journal.moment().order, ...event });
  };
  const allowChance = withoutChance();
  const client = new GraphQLClient({
    baseUrl: "https://api.example.com",
    apiKey: keyOption(program.key, service, clock),
    fetch: network.fetch,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
    onEvent,
  });
  const walks: ObservedWalk[] = [];
  const reads: ObservedRead[] = [];
  const parts = { client, clock, journal, observation, walks, reads };
  let done = 0;
  const callers = program.callers.map(async (steps) => {
    await runCaller(steps, parts);
    done += 1;
  });
  try {
    const ended = await settle({ clock, done: () => done === callers.length });
    if (ended) await Promise.all(callers);
    const leftBeforeClose = clock.waiting;
    let closed = false;
    const closing = close(parts).then(() => {
      closed = true;
    });
    const settled = (await settle({ clock, done: () => closed })) && ended;
    if (settled) await closing;
    // Late answers arrive after everything has ended.
    await settle({ clock, done: () => false });
    const common = { program, client, service, journal, walks, reads, observation, clock, events };
    return { ...common, fired: faults.fired, leftBeforeClose, settled, unhandled };
  } finally {
    process.off("unhandledRejection", noteUnhandled);
    allowChance();
  }
}
