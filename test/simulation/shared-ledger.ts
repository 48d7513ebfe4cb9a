/** The ledger that all processes of a simulation share. */
import { type Ledger, storeLedger } from "@saas-management/sdk";
import { CollectionLedger } from "../../src/runs/ledger/collection-ledger.js";
import { idsOf } from "../../src/runs/ledger/id-lines.js";
import { openLedger } from "../../src/runs/ledger/ledger.js";
import { readLedger } from "../../src/runs/ledger/state.js";
import { memoryStore, type Store } from "../../src/runs/ledger/store.js";
import type { SimClock } from "./sim-clock.js";

/** A snapshot in the ledger. */
export interface KnownSnapshot {
  readonly collection: string;
  readonly state: "completed" | "unclear";
  readonly ids: readonly string[];
}

/** What the ledger knows at the end. */
export interface Known {
  readonly snapshots: readonly KnownSnapshot[];
  readonly usage: string | undefined;
}

export class SharedLedger {
  readonly #store = memoryStore();
  readonly #clock: SimClock;
  readonly #ms: number;

  /** @param ms How long each call takes. */
  constructor(clock: SimClock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** The ledger as one process uses it. @param dead Fires when the process dies; a dead process changes nothing */
  of(dead: AbortSignal): Ledger {
    const store = this.#store;
    const turn = async () => {
      if (this.#ms > 0) await this.#clock.sleepElsewhere(this.#ms);
      if (dead.aborted) throw new Error("The process is dead.");
    };
    async function* whileAlive<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
      for await (const item of items) {
        dead.throwIfAborted();
        yield item;
      }
      await turn();
    }
    const own: Store = {
      putIfAbsent: (key, value) => store.putIfAbsent(key, whileAlive(value)),
      get: async (key) => {
        await turn();
        return store.get(key);
      },
      list: async function* (prefix) {
        await turn();
        yield* store.list(prefix);
      },
      delete: async (key) => {
        await turn();
        return store.delete(key);
      },
    };
    return storeLedger(own);
  }

  /** What the ledger knows of an installation, or why it cannot be read. */
  async known(endpoint: string, installationId: string): Promise<Known | string> {
    try {
      return await this.#read(endpoint, installationId);
    } catch (error) {
      return `the ledger cannot be read: ${error}`;
    }
  }

  async #read(endpoint: string, installationId: string): Promise<Known> {
    const ledger = openLedger(storeLedger(this.#store), { endpoint, installationId });
    const seen = await readLedger(ledger);
    const snapshots: KnownSnapshot[] = [];
    for (const collection of ["accounts", "licenses"] as const)
      for (const { state, lines } of new CollectionLedger(ledger, collection).known(seen)) {
        const ids: string[] = [];
        for await (const id of idsOf(lines())) ids.push(id);
        snapshots.push({ collection, state, ids });
      }
    return { snapshots, usage: seen.state.watermarks["usage"] };
  }
}
