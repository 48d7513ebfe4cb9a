/** The service's side of a call in memory: what the service does, and how the client learns of it. */
import { setMaxListeners } from "node:events";
import type { FaultKind } from "./faults.js";
import { ModelRefusal } from "./service-model.js";

/** What the service does with a call. */
export interface Server<T> {
  /** @param kind The fault that struck the call. */
  readonly effect: (kind?: FaultKind) => T;
  /** Applies only half of the effect. */
  readonly half?: () => void;
  /** The empty success with which a proxy answers if it forwards nothing. */
  readonly empty?: T;
  /** Whether a fault can strike the call. @default every fault can */
  readonly can?: (kind: FaultKind) => boolean;
  /** Called with the fault that strikes the call. */
  readonly struck?: (kind: FaultKind) => void;
  /** Called with the status of a refusal. */
  readonly refused?: (code: number) => void;
  /** Turns the true answer into the answer that the client gets after a fault. */
  readonly answer?: (kind: FaultKind, value: T) => T;
}

/** Whether a fault strikes a stream half-way. */
export function isMiddle(
  kind: FaultKind | undefined,
): kind is Extract<FaultKind, { readonly type: "lost" | "stalled" | "killed" }> {
  return kind !== undefined && "at" in kind && kind.at === "middle";
}

/** Applies the effect now, and returns a function that reports the outcome later. */
export function outcomeOf<T>(effect: () => T, refused: (refusal: ModelRefusal) => Error): () => T {
  try {
    const value = effect();
    return () => value;
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error;
    return () => {
      throw refused(error);
    };
  }
}

/** Applies the effect, and ignores a refusal. */
export function unheard(effect: () => unknown): void {
  try {
    effect();
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error;
  }
}

/** Waits one turn of the event loop, because no real call is answered in the turn in which it was made. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Never answers, so that only the caller's signal ends the call. */
export function never(signal: AbortSignal): Promise<never> {
  // The starts of all clients share a signal that never fires, so many listeners aren't a leak.
  setMaxListeners(0, signal);
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
