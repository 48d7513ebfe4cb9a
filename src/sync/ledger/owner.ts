/** The process that has a batch open. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** After so long without a heartbeat, the owner is considered dead. */
export const STALE_MS = 10_000;

export interface Owner {
  readonly host: string;
  /** Empty if the system does not tell it. */
  readonly bootId: string;
  readonly pid: number;
}

export function thisProcess(): Owner {
  return { host: hostname(), bootId: bootId(), pid: process.pid };
}

/** Whether a process is provably dead; an entry of the journal may be damaged. */
export function isGone({ host, bootId: boot, pid }: Partial<Record<keyof Owner, unknown>>): boolean {
  if (boot === "" || boot !== bootId() || host !== hostname()) return false;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

let knownBootId: string | undefined;

/** Identifies the boot of the system, and the container whose process ids these are. Never changes for a process. */
function bootId(): string {
  try {
    knownBootId ??= `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    knownBootId = "";
  }
  return knownBootId;
}
