import { raceAbort } from "../../core/abort.js";
import { SaasManagementError } from "../../core/errors/index.js";
import { errorCode, networkErrorOf } from "../../core/network-errors.js";
import { messageOf } from "../problem.js";

/** What a check found. */
export interface Finding {
  readonly name: string;
  /** `skipped`: it could not be looked at, or does not apply; the text says why. */
  readonly state: "ok" | "problem" | "skipped";
  readonly text: string;
  /** What to do about a problem. */
  readonly advice?: string | undefined;
  readonly error?: unknown;
}

const CHECK_MS = 15_000;

/** Something to look at. */
export type Check = readonly [name: string, look: Look];
export type Look = (signal: AbortSignal) => Promise<Omit<Finding, "name">>;

/** Looks at something. A check that throws has found a problem. */
export async function runCheck([name, look]: Check, signal: AbortSignal): Promise<Finding> {
  const over = AbortSignal.timeout(CHECK_MS);
  const ended = AbortSignal.any([signal, over]);
  try {
    return { name, ...(await raceAbort(look(ended), ended)) };
  } catch (error) {
    signal.throwIfAborted();
    if (over.aborted) return { name, ...bad("no answer within 15 seconds", "Is there a firewall?"), error };
    const advice = error instanceof SaasManagementError ? undefined : causeOf(error);
    return { name, ...bad(messageOf(error), advice), error };
  }
}

export const ok = (text: string) => ({ state: "ok", text }) as const;
export const skipped = (text: string) => ({ state: "skipped", text }) as const;
export const bad = (text: string, advice?: string) => ({ state: "problem", text, advice }) as const;

function causeOf(error: unknown): string | undefined {
  const { code, advice } = networkErrorOf(error);
  return ADVICE[errorCode(error) ?? ""] ?? (code === undefined ? undefined : `${advice}.`);
}

/** For errors of files; those of the network have their own table. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "Give this user the right to write there, or choose another directory.",
  EROFS: "The file system is read-only. Choose another directory.",
  ENOSPC: "The disk is full.",
};
