/** Runs a program of the GraphQL client against the model of the service, in simulated time. */
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { Observation } from "../observation.js";
import { settle, withoutChance } from "../settle.js";
import { SimClock } from "../sim-clock.js";
import { FaultSchedule, type ScheduledFault } from "./faults.js";
import { Journal } from "./journal.js";
import { simulatedFetch } from "./network.js";
import type { Program } from "./program.js";
import { SimService } from "./service.js";
import { walk } from "./walks.js";

// The first request of a process loads graphql and graphql-request, in turns that the simulation can't control.
const fetch = async () => Response.json({ data: {} });
await new GraphQLClient({ baseUrl: "http://127.0.0.1", apiKey: "warm-up", fetch }).request("{ a }", {});

/** The outcome of a program. */
export interface Simulated {
  readonly service: SimService;
  readonly journal: Journal;
  readonly fired: readonly ScheduledFault[];
  /** The client's timers that remained after all callers ended. */
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
  const client = new GraphQLClient({
    baseUrl: "https://api.example.com",
    apiKey: "key",
    fetch: simulatedFetch({ service, faults: schedule, journal, clock, heedsSignal }),
    clock,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  /** Closes the client, which must send nothing after this call, and leave nothing behind once it has closed. */
  const close = async () => {
    const closed = client.close();
    journal.closing ??= journal.moment();
    journal.mustBeOver("after close() was called");
    await observation.settle(closed);
  };
  const runCaller = async (steps: Program["callers"][number]) => {
    for (const step of steps) await (step.do === "walk" ? walk(step, client, journal) : close());
  };
  /** Returns whether the work ends. */
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
    const ended = await ends(Promise.all(callers.map(runCaller)));
    const leftBeforeClose = clock.waiting;
    const settled = (await ends(close())) && ended;
    // Late answers arrive after everything has ended.
    await settle(clock, () => false);
    return { service, journal, fired: schedule.fired, leftBeforeClose, settled, unhandled };
  } finally {
    process.off("unhandledRejection", noteUnhandled);
    allowChance();
  }
}
