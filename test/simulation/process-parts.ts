import type { Ledger } from "@saas-management/sdk";
import type { SyncEngine } from "../../src/runs/engine.js";
import type { Conduct } from "./conduct.js";
import type { Observation, ObservedBatch, Writing } from "./observation.js";
import type { ServiceModel } from "./service-model.js";
import type { SimClock } from "./sim-clock.js";

/** The reason of a caller who gives up. */
export class GaveUp extends Error {}

/** What a process works with. */
export interface ProcessParts {
  readonly client: SyncEngine;
  readonly installationId: string;
  /** Of all processes. */
  readonly ledger: Ledger;
  /** What runs keep in memory before they use a file, in bytes. */
  readonly memoryBytes: number | undefined;
  readonly service: ServiceModel;
  /** What the process does on the wire. */
  readonly conduct: Conduct;
  readonly clock: SimClock;
  readonly observation: Observation;
  /** Cuts the process off: nothing that it does reaches anything any more. */
  readonly crash: () => void;
  /** Fires when it is cut off. */
  readonly dead: AbortSignal;
}

/** A signal of a caller who gives up after some time; `end` when there is nothing to give up any more. */
export function givingUp(afterMs: number | undefined, { clock, observation }: ProcessParts) {
  if (afterMs === undefined) return undefined;
  const controller = new AbortController();
  observation.signals.push(controller.signal);
  const end = clock.after(afterMs, () => controller.abort(new GaveUp()));
  return { signal: controller.signal, end };
}

/** Silence for longer than this is not met in any program. */
const FOR_EVER_MS = 24 * 60 * 60_000;

/** The caller relies on the lease, where it is kept for as long as there is a program. @param from When it asked for it */
export function relyOn(observed: ObservedBatch, maxIdleMs: number | undefined, from: number): void {
  if (maxIdleMs === FOR_EVER_MS) observed.keptAlive = { from, until: Number.POSITIVE_INFINITY };
}

/** The caller relies on the lease no more: it ends the batch, or a write of it has failed. */
export function relyNoMore({ keptAlive }: Pick<Writing, "keptAlive">, { clock }: ProcessParts): void {
  if (keptAlive !== undefined) keptAlive.until = Math.min(keptAlive.until, clock.now());
}
