/** Runs a program of the GraphQL facade over sockets against the reference server, in simulated time. */
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { Observation } from "../../observation.js";
import { settle, withoutChance } from "../../settle.js";
import { SimClock } from "../../sim-clock.js";
import { ServerClock } from "../../sockets/server-clock.js";
import { close, type ObservedRead, runCaller } from "../caller.js";
import { Journal } from "../journal.js";
import { MAX_RESPONSE_BYTES } from "../network.js";
import { SimService } from "../service.js";
import type { Simulated } from "../simulate.js";
import type { ObservedWalk } from "../walks.js";
import type { SocketProgram } from "./program.js";
import { WatchedFetch } from "./watched-fetch.js";
import "../warm-up.js";

export async function simulateOverSockets(program: SocketProgram): Promise<Simulated> {
  const clock = new SimClock();
  const serverClock = new ServerClock(clock);
  const observation = new Observation();
  const journal = new Journal(clock, observation);
  const service = new SimService(program.rows, [], journal);
  // Named and sorted like the rows of the model.
  const applications = service.rows.keys.map((key) => ({ id: nameOf(key), name: nameOf(key) }));
  await using server = await startReferenceServer({ clock: serverClock, portfolio: { applications } });
  for (const fault of program.serverFaults) server.faults.add(fault);
  const watched = new WatchedFetch(journal, clock);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const allowChance = withoutChance();
  const { baseUrl, apiKey } = server;
  const maxResponseBytes = MAX_RESPONSE_BYTES;
  const client = new GraphQLClient({ baseUrl, apiKey, clock, fetch: watched.fetch, maxResponseBytes });
  const walks: ObservedWalk[] = [];
  const reads: ObservedRead[] = [];
  const parts = { client, clock, journal, observation, walks, reads };
  let done = 0;
  const callers = program.callers.map(async (steps) => {
    await runCaller(steps, parts);
    done += 1;
  });
  const busy = () => watched.underWay > serverClock.held;
  try {
    const ended = await settle({ clock, busy, done: () => done === callers.length });
    if (ended) await Promise.all(callers);
    const leftBeforeClose = clock.waiting;
    let closed = false;
    const closing = close(parts).then(() => {
      closed = true;
    });
    const settled = (await settle({ clock, busy, done: () => closed })) && ended;
    if (settled) await closing;
    const told = { events: [], fired: [], leftBeforeClose, settled, unhandled };
    return { ...told, program, client, service, journal, walks, reads, observation, clock };
  } finally {
    process.off("unhandledRejection", note);
    allowChance();
  }
}

/** The names sort as the numbers do. */
function nameOf(key: number): string {
  return `applications-${String(key).padStart(4, "0")}`;
}
