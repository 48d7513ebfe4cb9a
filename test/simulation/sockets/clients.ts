import type { ReferenceServer } from "@saas-management/sdk/testing";
import { SyncEngine } from "../../../src/sync/engine.js";
import { GrpcTransport } from "../../../src/sync/grpc/transport.js";
import { resolveSyncOptions } from "../../../src/sync/options.js";
import type { Observation } from "../observation.js";
import type { SimClock } from "../sim-clock.js";
import type { NetworkFaultKind, NetworkSchedule } from "./network.js";
import { Relay } from "./relay.js";
import { WatchedTransport } from "./watched-transport.js";

/** Bytes of a message and of a window: small, so that a few records make several. */
const MESSAGE_BYTES = 150;
const WINDOW_BYTES = 340;

/** Restarts of the server, while clients go on. */
export class Restarts {
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

/** A client and its network. */
export interface Client {
  readonly engine: SyncEngine;
  readonly transport: WatchedTransport;
  readonly relay: Relay;
  readonly crash: () => void;
  /** Fires when it crashes. */
  readonly dead: AbortSignal;
}

/** What the clients of a program share. */
interface ClientParts {
  readonly clock: SimClock;
  readonly network: NetworkSchedule;
  readonly observation: Observation;
  readonly restarts: Restarts;
  readonly atMostOnce: boolean;
}

/** A client of the server, with a network of its own. */
export async function openClient(
  { syncUrl, apiKey }: ReferenceServer,
  { clock, network, observation, restarts, atMostOnce }: ClientParts,
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
    eventDelivery: atMostOnce ? "at-most-once" : "at-least-once",
  });
  const death = new AbortController();
  const crash = () => {
    death.abort();
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
  const inner = new GrpcTransport(configuration);
  const transport = new WatchedTransport(inner, clock, observation, { atMostOnce }, (operation) =>
    network.strike(operation, strike),
  );
  const engine = new SyncEngine(configuration, transport);
  return { engine, transport, relay, crash, dead: death.signal };
}
