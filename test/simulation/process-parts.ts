import type { Ledger } from "@saas-management/sdk";
import type { SyncEngine } from "../../src/runs/engine.js";
import type { Conduct } from "./conduct.js";
import type { Observation } from "./observation.js";
import type { ServiceModel } from "./service-model.js";
import type { SimClock } from "./sim-clock.js";

/** The signal's reason when a caller gives up. */
export class GaveUp extends Error {}

/** What a process works with. */
export interface ProcessParts {
  readonly client: SyncEngine;
  readonly installationId: string;
  /** The ledger that all processes share. */
  readonly ledger: Ledger;
  /** What runs keep in memory before they use a file, in bytes. */
  readonly memoryBytes: number | undefined;
  readonly service: ServiceModel;
  /** What the process does on the wire. */
  readonly conduct: Conduct;
  readonly clock: SimClock;
  readonly observation: Observation;
  /** Cuts the process off, so that nothing it does has any effect from then on. */
  readonly crash: () => void;
  /** Fires when the process is cut off. */
  readonly dead: AbortSignal;
}

/** The signal of a caller who gives up after some time. Call `end` when the caller's work is done. */
export function givingUp(afterMs: number | undefined, { clock, observation }: ProcessParts) {
  if (afterMs === undefined) return undefined;
  const controller = new AbortController();
  observation.signals.push(controller.signal);
  const end = clock.after(afterMs, () => controller.abort(new GaveUp()));
  return { signal: controller.signal, end };
}
