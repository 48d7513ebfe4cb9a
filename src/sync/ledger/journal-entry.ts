/** An entry of the journal: a file that says which process has a batch open. Its modification time is the heartbeat. */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { lutimes } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { LEASE_MS } from "../lease.js";
import { codeOf, createPrivateFile, openPrivateFile } from "./private-files.js";

/** How often the owner of an entry renews its heartbeat, in milliseconds. */
export const HEARTBEAT_MS = 2500;

/** After so long without a heartbeat, the owner is considered dead. */
export const STALE_MS = 10_000;

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

/** An entry as it was read. */
export interface ReadEntry {
  /** Milliseconds since the epoch. */
  readonly heartbeat: number;
  /** Undefined if the file is damaged. */
  readonly content: (JournaledBatch & Owner) | undefined;
}

/** Name of a batch's entry. Batch ids may contain any character. */
export function entryName({ endpoint, batchId }: Pick<JournaledBatch, "endpoint" | "batchId">): string {
  return `${createHash("sha256")
    .update(JSON.stringify([endpoint, batchId]))
    .digest("hex")}.json`;
}

/** Writes the entry of a batch that this process has open. */
export async function writeEntry(path: string, batch: JournaledBatch, now: number): Promise<void> {
  const owner: Owner = { host: hostname(), bootId: bootId(), pid: process.pid };
  const file = await createPrivateFile(path);
  try {
    await file.writeFile(`${JSON.stringify({ ...batch, ...owner })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await setHeartbeat(path, now);
}

/** Sets the heartbeat of an entry; throws ENOENT if another process has removed it. */
export async function setHeartbeat(path: string, at: number): Promise<void> {
  await lutimes(path, at / 1000, at / 1000);
}

/** Reads an entry; undefined if it was removed. */
export async function readEntry(path: string): Promise<ReadEntry | undefined> {
  const file = await openPrivateFile(path);
  if (file === undefined) return undefined;
  try {
    const { mtimeMs: heartbeat } = await file.stat();
    const content = parseEntry(await file.readFile("utf8"));
    // The name proves which batch was meant.
    const isOwn = content !== undefined && entryName(content) === basename(path);
    return { heartbeat, content: isOwn ? content : undefined };
  } finally {
    await file.close();
  }
}

/** Whether the process that wrote the entry is dead, or was silent for so long that it counts as dead. */
export function isOrphan(owner: Owner, heartbeat: number, now: number): boolean {
  return now - heartbeat >= STALE_MS || isGone(owner);
}

/** Whether the lease of an entry's batch is over even if its last message was sent just before its owner died. */
export function isOutdated(heartbeat: number, now: number): boolean {
  return now - heartbeat > LEASE_MS + STALE_MS;
}

function isGone({ host, bootId: boot, pid }: Owner): boolean {
  if (boot === "" || boot !== bootId() || host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
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

function parseEntry(text: string): ReadEntry["content"] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { endpoint, installationId, batchId, host, bootId, pid } = fields;
  if (typeof endpoint !== "string" || typeof installationId !== "string" || typeof batchId !== "string")
    return undefined;
  if (typeof host !== "string" || typeof bootId !== "string") return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { endpoint, installationId, batchId, host, bootId, pid };
}
