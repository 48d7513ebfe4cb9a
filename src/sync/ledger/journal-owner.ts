/** The process that has a batch open, as an entry of the journal names it. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isObject } from "../../core/validate.js";

/** A batch that a run has open. */
export interface JournaledBatch {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  readonly installationId: string;
  readonly batchId: string;
}

interface Owner {
  readonly host: string;
  /** Empty if the system does not tell it. */
  readonly bootId: string;
  readonly pid: number;
}

export function thisProcess(): Owner {
  return { host: hostname(), bootId: bootId(), pid: process.pid };
}

/** Whether a process is provably dead. */
export function isGone({ host, bootId: boot, pid }: Owner): boolean {
  if (boot === "" || boot !== bootId() || host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Reads an entry; undefined if it is damaged. */
export function parseBatch(text: string): (JournaledBatch & Owner) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { endpoint, installationId, batchId, host, bootId, pid } = fields;
  if (typeof endpoint !== "string" || typeof installationId !== "string" || typeof batchId !== "string")
    return undefined;
  if (typeof host !== "string" || typeof bootId !== "string") return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { endpoint, installationId, batchId, host, bootId, pid };
}

/** Identifies the boot of the system, and the container whose process ids these are. */
function bootId(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}
