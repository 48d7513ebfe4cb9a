/** One entry of the journal: which batch a process has open, as a file. */
import { createHash, randomBytes } from "node:crypto";
import type { ProcessIdentity } from "./journal-owner.js";
import { createPrivateFile, openPrivateFile, removeFile, replaceFile } from "./private-files.js";

/** A batch that a run has open. */
export interface JournaledBatch {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  readonly installationId: string;
  readonly batchId: string;
}

/** What is written down of a batch. */
export interface JournalEntry extends JournaledBatch {
  /** The process that writes the batch, where the system tells it exactly. */
  readonly owner: ProcessIdentity | undefined;
}

/** What a file of the journal turns out to be. */
export type ReadEntry =
  | { readonly kind: "entry"; readonly entry: JournalEntry; readonly writtenAt: number }
  /** It went away meanwhile. */
  | { readonly kind: "none" }
  /** It is damaged. */
  | { readonly kind: "unusable"; readonly writtenAt: number }
  /** A later version of the SDK wrote it. */
  | { readonly kind: "foreign" };

const VERSION = 1;

/** No entry is as large. */
const MAX_ENTRY_BYTES = 64 * 1024;

/** Name of a batch's entry: ids may hold anything, also what leads out of the directory. */
export function entryName({ endpoint, batchId }: JournaledBatch): string {
  return `${sha256(JSON.stringify([endpoint, batchId]))}.json`;
}

/** Writes an entry: after a crash it is there as a whole, or not at all. */
export async function writeEntry(path: string, entry: JournalEntry): Promise<void> {
  const content = JSON.stringify(entry);
  const text = JSON.stringify({ version: VERSION, checksum: sha256(content), content });
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await createPrivateFile(beside);
  try {
    await file.writeFile(`${text}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await replaceFile(beside, path);
  } catch (error) {
    await removeFile(beside).catch(() => {});
    throw error;
  }
}

/** Reads an entry. Links are not followed. */
export async function readEntry(path: string): Promise<ReadEntry> {
  const file = await openPrivateFile(path);
  if (file === undefined) return { kind: "none" };
  try {
    const { size, mtimeMs } = await file.stat();
    const unusable = { kind: "unusable", writtenAt: mtimeMs } as const;
    if (size > MAX_ENTRY_BYTES) return unusable;
    const outer = parsed(await file.readFile("utf8"));
    const version = field(outer, "version");
    if (typeof version === "number" && version > VERSION) return { kind: "foreign" };
    const content = field(outer, "content");
    if (version !== VERSION || typeof content !== "string" || field(outer, "checksum") !== sha256(content)) {
      return unusable;
    }
    const entry = toEntry(parsed(content));
    return entry === undefined ? unusable : { kind: "entry", entry, writtenAt: mtimeMs };
  } finally {
    await file.close();
  }
}

function toEntry(value: unknown): JournalEntry | undefined {
  const endpoint = field(value, "endpoint");
  const installationId = field(value, "installationId");
  const batchId = field(value, "batchId");
  if (typeof endpoint !== "string" || typeof installationId !== "string" || typeof batchId !== "string") {
    return undefined;
  }
  return { endpoint, installationId, batchId, owner: toOwner(field(value, "owner")) };
}

function toOwner(value: unknown): ProcessIdentity | undefined {
  const boot = field(value, "boot");
  const namespace = field(value, "namespace");
  const pid = field(value, "pid");
  const startedAt = field(value, "startedAt");
  if (typeof boot !== "string" || typeof namespace !== "string") return undefined;
  if (typeof pid !== "number" || typeof startedAt !== "string") return undefined;
  return { boot, namespace, pid, startedAt };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
