/** Runs a program over real sockets against the reference server, without any real waiting. */
import type { Fault } from "@saas-management/sdk/testing";
import { optionsSchema } from "../../../src/reference-server/options.js";
import { startServer } from "../../../src/reference-server/server.js";
import { MemoryFiles } from "../memory-files.js";
import { Observation } from "../observation.js";
import { runProcess } from "../process.js";
import { ServiceModel } from "../service-model.js";
import { settle, withoutChance } from "../settle.js";
import { SimClock } from "../sim-clock.js";
import { type Simulated, unsuccessful } from "../simulate.js";
import { warmUp } from "../warm-up.js";
import { type Client, openClient, Restarts } from "./clients.js";
import { differences } from "./compare.js";
import { gone, leftBehind, openResources } from "./left-behind.js";
import { type NetworkFault, NetworkSchedule } from "./network.js";
import type { SocketProgram } from "./program.js";
import { ServerClock } from "./server-clock.js";
import { struck } from "./struck.js";
import { WatchedState } from "./watched-state.js";

/** How a program over sockets went. */
export interface SimulatedOverSockets extends Simulated {
  /** Where the server and the model do not agree. */
  readonly differences: readonly string[];
  /** What the process still holds open. */
  readonly left: readonly string[];
  /** The faults of server and network that have struck. */
  readonly struckBy: readonly (Fault | NetworkFault)[];
}

await warmUp();

export async function simulateOverSockets(program: SocketProgram): Promise<SimulatedOverSockets> {
  const before = openResources();
  const clock = new SimClock();
  const serverClock = new ServerClock(clock);
  const observation = new Observation();
  const model = new ServiceModel(observation.tick);
  const state = new WatchedState(serverClock, model);
  const server = await startServer(optionsSchema.parse({ clock: serverClock }), state);
  const handles = program.faults.map(({ fault, certain }) => ({
    fault,
    certain,
    added: server.faults.add(fault),
  }));
  const strikers = () => handles.flatMap(({ fault, added }) => (added.fired > 0 ? [fault] : []));
  const network = new NetworkSchedule(program.network);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const allowChance = withoutChance();
  const files = new MemoryFiles(Number.POSITIVE_INFINITY);
  const unmount = files.mount();
  const restarts = new Restarts(server);
  const clients: Client[] = [];
  const { atMostOnce, memoryBytes } = program;
  for (const _ of program.clients)
    clients.push(await openClient(server, { clock, network, observation, restarts, atMostOnce }));
  let done = 0;
  const processes = program.clients.map(async (sessions, index) => {
    const client = clients[index];
    if (client === undefined) return;
    const { crash, dead, engine, transport } = client;
    const { installationId } = server;
    await runProcess(sessions, {
      client: engine,
      installationId,
      memoryBytes,
      service: model,
      conduct: transport.conduct,
      clock,
      observation,
      crash,
      dead,
    });
    done += 1;
  });
  try {
    const settled = await settle({
      clock,
      done: () => done === processes.length,
      busy: () => restarts.underWay || callsOnTheWay(clients) > serverClock.held,
    });
    if (settled) await Promise.all(processes);
    const connections = () => clients.reduce((sum, { relay }) => sum + relay.connections, 0);
    await gone(() => connections() === 0);
    const unended = connections();
    for (const { relay } of clients) await relay.close();
    await server.close();
    const inspection = server.inspect(server.installationId);
    const transports = clients.map(({ transport }) => transport);
    const disturbed = transports.flatMap((transport) => transport.disturbed);
    return {
      service: model,
      observation,
      clock,
      apiKey: server.apiKey,
      fired: struck(strikers(), network.fired, disturbed),
      struckBy: [...strikers(), ...network.fired],
      crashed: clients.some(({ dead }) => dead.aborted),
      atMostOnce,
      leftFiles: settled ? files.left : [],
      undercounted: new Set(transports.flatMap(({ undercounted }) => [...undercounted])),
      conducts: transports.map(({ conduct }) => conduct),
      locks: transports.map(({ locks }) => locks),
      differences: [
        ...state.differences,
        ...differences(model, inspection, state.installation(server.installationId), clock.now()),
      ],
      missed: [
        ...handles
          .filter(({ certain, added }) => certain && added.fired === 0)
          .map(({ fault }) => `a fault never struck: ${JSON.stringify(fault)}`),
        ...unsuccessful(program, model),
      ],
      settled,
      left: [
        ...(unended > 0 ? [`closed clients have left ${unended} connections open`] : []),
        ...(await leftBehind(before)),
      ],
      unhandled,
    };
  } finally {
    process.off("unhandledRejection", note);
    allowChance();
    unmount();
  }
}

/** Number of calls that somebody works on, or that a fault of the server holds back. */
function callsOnTheWay(clients: readonly Client[]): number {
  return clients.reduce((sum, { relay, transport }) => sum + (relay.silent ? 0 : transport.inFlight), 0);
}
