/** The service's side of a call in memory: what it does, and how that comes back. */
import { setMaxListeners } from "node:events";
import type { FaultKind } from "./faults.js";
import { ModelRefusal } from "./service-model.js";

/** What the service does with a call. */
export interface Server<T> {
  /** @param kind Fault that struck the call. */
  readonly effect: (kind?: FaultKind) => T;
  /** Does only half of the effect. */
  readonly half?: () => void;
  /** An answer that says that all is well and nothing more, of something in between that forwards nothing. */
  readonly empty?: T;
  /** Whether a fault can strike it. @default any */
  readonly can?: (kind: FaultKind) => boolean;
  /** Hears of the fault that strikes it. */
  readonly struck?: (kind: FaultKind) => void;
  /** Hears of a status with which the call was refused. */
  readonly refused?: (code: number) => void;
  /** The answer that a fault makes of the true one. */
  readonly answer?: (kind: FaultKind, value: T) => T;
}

/** Whether a fault strikes a stream half-way. */
export function isMiddle(
  kind: FaultKind | undefined,
): kind is Extract<FaultKind, { readonly type: "lost" | "stalled" | "killed" }> {
  return kind !== undefined && "at" in kind && kind.at === "middle";
}

/** Does it now, and tells later how it went. */
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

/** Does it; nobody hears of it where the service says no. */
export function unheard(effect: () => unknown): void {
  try {
    effect();
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error;
  }
}

/** One turn of the event loop, because no call is answered in the turn in which it was made. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Nobody answers; the caller's own timeout ends the call. */
export function never(signal: AbortSignal): Promise<never> {
  // Starts of all clients have one that never fires.
  setMaxListeners(0, signal);
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
