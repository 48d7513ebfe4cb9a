import { SaasManagementError } from "./errors/index.js";

/** Where in the user's program something was called. Engines write the stack out when it is read, which is seldom. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * Notes the place from which the function is called that calls this.
 * @param below The function beneath which the stack is left out
 */
export function noteCallSite(
  below: ((...parameters: never[]) => unknown) | (new (...parameters: never[]) => unknown),
): CallSite {
  const site: CallSite = {};
  // Not every browser has it.
  if (typeof Error.captureStackTrace === "function") {
    try {
      Error.captureStackTrace(site, below);
    } catch {
      // A hook of the process failed: what it does with stacks is its own affair.
    }
  }
  return site;
}

/**
 * Runs a call of the user's, and adds the place where it was made to the stack of the error it ends in.
 *
 * An error is mostly made in a callback of the network or of a timer, where nothing leads back to the caller. What is
 * not the SDK's error, and what the caller aborted with, stays as it is.
 *
 * @param signal The caller's.
 */
export async function withCallSite<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
  const site = noteCallSite(withCallSite);
  try {
    return await call();
  } catch (error) {
    addFrames(error, signal, framesOf(site));
    throw error;
  }
}

/**
 * Does the same for a step of a walk, of which there are many: nothing is noted before one fails. Then the stack leads
 * to the function that awaits the step, and to where the walk was begun.
 *
 * @param noted Called when the stack was noted. Who else awaits the step before that hides who does from the engine.
 */
export async function withWalkSite<T>(
  signal: AbortSignal | undefined,
  begun: CallSite,
  step: () => Promise<T>,
  noted?: () => void,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const awaiting = framesOf(noteCallSite(withWalkSite));
    addFrames(error, signal, [...new Set([...awaiting, ...framesOf(begun)])]);
    noted?.();
    throw error;
  }
}

/**
 * Does the same for a call of which there are many, and which nobody need await: one that fails is no unhandled
 * rejection.
 */
export function withFrequentSite<T>(
  signal: AbortSignal | undefined,
  begun: CallSite,
  call: () => Promise<T>,
): Promise<T> {
  const outcome = withWalkSite(signal, begun, call, () => void outcome.catch(() => {}));
  return outcome;
}

/** The lines of a stack that name places of programs. The first one names what holds it. */
function framesOf(site: CallSite): readonly string[] {
  return linesOf(site)
    .slice(1)
    .filter((line) => !line.includes("node:internal/"));
}

/** None where a hook of the process (`Error.prepareStackTrace`) throws, or makes something else of stacks. */
function linesOf(holder: CallSite): readonly string[] {
  try {
    const stack: unknown = holder.stack;
    return typeof stack === "string" ? stack.split("\n") : [];
  } catch {
    return [];
  }
}

function addFrames(error: unknown, signal: AbortSignal | undefined, frames: readonly string[]): void {
  if (!(error instanceof SaasManagementError)) return;
  if (isReasonOf(signal, error)) return;
  // A call within a call has the outer one's frames already.
  const known = linesOf(error);
  if (known.length === 0) return;
  error.stack = [...known, ...frames.filter((frame) => !known.includes(frame))].join("\n");
}

/** What came for a signal may be none, and throw where it is read. */
function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  try {
    return signal?.aborted === true && error === signal.reason;
  } catch {
    return false;
  }
}
