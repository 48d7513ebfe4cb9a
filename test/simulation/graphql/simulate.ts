/** Runs a program of the GraphQL client against the model of the service, in simulated time. */
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { Observation } from "../observation.js";
import { settle, withoutChance } from "../settle.js";
import { SimClock } from "../sim-clock.js";
import { close, runCaller } from "./caller.js";
import { FaultSchedule, type ScheduledFault } from "./faults.js";
import { Journal } from "./journal.js";
import { MAX_RESPONSE_BYTES, simulatedFetch } from "./network.js";
import type { Program } from "./program.js";
import { KEY, SimService } from "./service.js";
import type { ObservedWalk } from "./walks.js";

// The first request of a process loads graphql and graphql-request, in turns that are not the simulation's.
const fetch = async () => Response.json({ data: {} });
await new GraphQLClient({ baseUrl: "http://127.0.0.1", apiKey: "warm-up", fetch }).request("{ a }", {});

/** The outcome of a program. */
export interface Simulated {
  readonly client: GraphQLClient;
  readonly service: SimService;
  readonly journal: Journal;
  readonly walks: readonly ObservedWalk[];
  readonly observation: Observation;
  readonly clock: SimClock;
  readonly fired: readonly ScheduledFault[];
  /** Timers of the client that were left when all callers had ended. */
  readonly leftBeforeClose: number;
  readonly settled: boolean;
  readonly unhandled: readonly unknown[];
}

export async function simulate({ callers, rows, faults, heedsSignal }: Program): Promise<Simulated> {
  const clock = new SimClock();
  const observation = new Observation();
  const journal = new Journal(clock, observation);
  const service = new SimService(rows);
  const schedule = new FaultSchedule(faults);
  const unhandled: unknown[] = [];
  const noteUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", noteUnhandled);
  const allowChance = withoutChance();
  const log = (message: string, details?: object) => observation.told.push([message, details]);
  const client = new GraphQLClient({
    baseUrl: "https://api.example.com",
    apiKey: KEY,
    fetch: simulatedFetch({ service, faults: schedule, journal, clock, heedsSignal }),
    maxResponseBytes: MAX_RESPONSE_BYTES,
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
    onEvent: (event) => observation.told.push(event),
  });
  const walks: ObservedWalk[] = [];
  const parts = { client, clock, journal, observation, walks };
  /** Whether it ends. */
  const ends = async (work: Promise<unknown>): Promise<boolean> => {
    let done = false;
    const working = work.then(() => {
      done = true;
    });
    const ended = await settle(clock, () => done);
    if (ended) await working;
    return ended;
  };
  try {
    const ended = await ends(Promise.all(callers.map((steps) => runCaller(steps, parts))));
    const leftBeforeClose = clock.waiting;
    const settled = (await ends(close(parts))) && ended;
    // Late answers arrive after everything has ended.
    await settle(clock, () => false);
    const common = { client, service, journal, walks, observation, clock };
    return { ...common, fired: schedule.fired, leftBeforeClose, settled, unhandled };
  } finally {
    process.off("unhandledRejection", noteUnhandled);
    allowChance();
  }
}
