import { SaasManagementError } from "./errors/index.js";

/**
 * Runs a call of the user and adds the place of the call to the stack of an error of the SDK: it is usually created in a
 * callback of the network or of a timer. Other errors, and the caller's abort reason, stay as they are.
 */
export async function withCallSite<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
  const site: { stack?: string } = {};
  // Firefox does not have it.
  Error.captureStackTrace?.(site, withCallSite);
  try {
    return await call();
  } catch (error) {
    if (error instanceof SaasManagementError && !(signal?.aborted === true && error === signal.reason))
      appendFrames(error, framesOf(site));
    throw error;
  }
}

/** The lines of a stack that name places of programs. */
function framesOf({ stack }: { stack?: string }): readonly string[] {
  return typeof stack === "string" ? stack.split("\n").slice(1) : [];
}

/** Repeated frames are left out: a call within a call has those of the outer one already. */
function appendFrames(error: Error, frames: readonly string[]): void {
  if (typeof error.stack !== "string") return;
  const known = error.stack.split("\n");
  const added = frames.filter((frame) => !frame.includes("node:internal/") && !known.includes(frame));
  error.stack = [...known, ...added].join("\n");
}
