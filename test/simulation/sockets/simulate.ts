/** Runs a program over real sockets against the reference server, without any real waiting. */
import type { FaultHandle, ReferenceServer, SyncFault } from "@saas-management/sdk/reference-server";
import { checkOptions } from "../../../src/reference-server/options.js";
import { runServer } from "../../../src/reference-server/running-server.js";
import { GrpcTransport } from "../../../src/sync/channel.js";
import { resolveSyncOptions } from "../../../src/sync/configuration.js";
import { SyncEngine } from "../../../src/sync/engine.js";
import { examination, writing } from "../../../src/sync/load-writing.js";
import { Observation } from "../observation.js";
import { runProcess } from "../process.js";
import { ServiceModel } from "../service-model.js";
import { settle, withoutChance } from "../settle.js";
import { SimClock } from "../sim-clock.js";
import type { Simulated } from "../simulate.js";
import { differences } from "./compare.js";
import { gone, leftBehind, openResources } from "./left-behind.js";
import { type NetworkFault, type NetworkFaultKind, NetworkSchedule } from "./network.js";
import type { SocketProgram } from "./program.js";
import { Relay } from "./relay.js";
import { ServerClock } from "./server-clock.js";
import { struck } from "./struck.js";
import { WatchedState } from "./watched-state.js";
import { WatchedTransport } from "./watched-transport.js";

/** How a program over sockets went. */
export interface SimulatedOverSockets extends Simulated {
  /** Where the server and the model do not agree. */
  readonly differences: readonly string[];
  /** What was planned and did not come to pass. */
  readonly missed: readonly string[];
  /** What the process still holds open. */
  readonly left: readonly string[];
  /** The faults of server and network that have struck. */
  readonly struckBy: readonly (SyncFault | NetworkFault)[];
}

/** Bytes of a message and of a window: small, so that a few records make several. */
const MESSAGE_BYTES = 150;
const WINDOW_BYTES = 340;

// Loaded with the first write otherwise, in turns that are not the simulation's.
await Promise.all([writing.load(), examination.load()]);

export async function simulateOverSockets(program: SocketProgram): Promise<SimulatedOverSockets> {
  const before = openResources();
  const clock = new SimClock();
  const serverClock = new ServerClock(clock);
  const model = new ServiceModel();
  const state = new WatchedState(serverClock, model);
  const server = await runServer(checkOptions({ clock: serverClock }), state);
  const handles = server.faults.schedule({ faults: program.faults });
  const network = new NetworkSchedule(program.network);
  const observation = new Observation();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const allowChance = withoutChance();
  const restarts = new Restarts(server);
  const clients: Client[] = [];
  for (const _ of program.clients)
    clients.push(await openClient(server, { clock, network, observation, restarts }));
  let done = 0;
  const processes = program.clients.map(async (sessions, index) => {
    const client = clients[index];
    if (client === undefined) return;
    const { crash, engine } = client;
    const { installationId } = server;
    await runProcess(sessions, { client: engine, installationId, clock, observation, crash });
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
      fired: struck(strikers(handles), network.fired, disturbed),
      struckBy: [...strikers(handles), ...network.fired],
      crashed: clients.some(({ crashed }) => crashed),
      undercounted: new Set(transports.flatMap(({ undercounted }) => [...undercounted])),
      misdeeds: transports.flatMap(({ misdeeds }) => misdeeds),
      differences: [...state.differences, ...differences(model, inspection, clock.now())],
      missed: [
        ...server.faults.unfired().map(({ fault }) => `a fault never struck: ${JSON.stringify(fault)}`),
        ...(program.succeeds && model.batches.every((batch) => batch.state !== "completed")
          ? ["no batch was completed, although the retries should do"]
          : []),
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
  }
}

/** Those faults that have struck. */
function strikers(handles: readonly FaultHandle[]): SyncFault[] {
  return handles.flatMap(({ fault, firings }) => (fault.api === "sync" && firings > 0 ? [fault] : []));
}

/** Number of calls that somebody works on, or that a fault of the server holds back. */
function callsOnTheWay(clients: readonly Client[]): number {
  return clients.reduce((sum, { relay, transport }) => sum + (relay.silent ? 0 : transport.inFlight), 0);
}

/** Restarts of the server, while clients go on. */
class Restarts {
  readonly #server: ReferenceServer;
  #pending = 0;

  constructor(server: ReferenceServer) {
    this.#server = server;
  }

  get underWay(): boolean {
    return this.#pending > 0;
  }

  begin(): void {
    this.#pending += 1;
    void this.#server.restart().finally(() => {
      this.#pending -= 1;
    });
  }
}

interface Client {
  readonly engine: SyncEngine;
  readonly transport: WatchedTransport;
  readonly relay: Relay;
  readonly crashed: boolean;
  readonly crash: () => void;
}

interface ClientParts {
  readonly clock: SimClock;
  readonly network: NetworkSchedule;
  readonly observation: Observation;
  readonly restarts: Restarts;
}

/** A client of the server, with a network of its own. */
async function openClient(
  { syncUrl, apiKey }: ReferenceServer,
  { clock, network, observation, restarts }: ClientParts,
): Promise<Client> {
  const relay = await Relay.start(Number(new URL(syncUrl).port), clock);
  const log = (message: string, details?: object) => observation.told.push([message, details]);
  const configuration = resolveSyncOptions({
    endpoint: `http://127.0.0.1:${relay.port}`,
    apiKey,
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
    retry: { retries: 2 },
    messageBytes: MESSAGE_BYTES,
    windowBytes: WINDOW_BYTES,
  });
  let crashed = false;
  const crash = () => {
    crashed = true;
    transport.crash();
    relay.cut();
  };
  const strike = (kind: NetworkFaultKind): boolean => {
    switch (kind.type) {
      case "late":
        return relay.holdBack(kind.ms);
      case "half-open":
        return relay.halfOpen();
      case "restart":
        restarts.begin();
        return true;
      case "crash":
        crash();
        return true;
    }
  };
  const transport = new WatchedTransport(new GrpcTransport(configuration), clock, (operation) =>
    network.strike(operation, strike),
  );
  const engine = new SyncEngine(configuration, transport);
  return {
    engine,
    transport,
    relay,
    crash,
    get crashed() {
      return crashed;
    },
  };
}
