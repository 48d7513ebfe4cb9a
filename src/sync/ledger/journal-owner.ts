/** Which process made an entry, told so exactly that another one can know whether it is dead. */
import { readFile, readlink } from "node:fs/promises";

/**
 * A process of a Linux machine. A process id alone says nothing: the first process of every container has 1, and ids
 * are used again.
 */
export interface ProcessIdentity {
  /** Changes with each start of the machine, and is another one on each machine. */
  readonly boot: string;
  /** The namespaces in which the process id and the start time are counted. */
  readonly namespace: string;
  readonly pid: number;
  /** When the process began, in ticks since the start of the machine. */
  readonly startedAt: string;
}

/** This process; undefined where the system does not tell it exactly. */
export async function ownIdentity(): Promise<ProcessIdentity | undefined> {
  try {
    const [boot, pids, times, own] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readlink("/proc/self/ns/pid"),
      readlink("/proc/self/ns/time").catch(() => ""),
      statusOf("self"),
    ]);
    if (own === undefined || own.pid !== process.pid) return undefined;
    return { boot: boot.trim(), namespace: `${pids} ${times}`, pid: own.pid, startedAt: own.startedAt };
  } catch {
    return undefined;
  }
}

/**
 * Whether a process is dead beyond doubt. False also where that cannot be told from here: it may be a process of
 * another machine or container.
 */
export async function isSurelyDead(owner: ProcessIdentity): Promise<boolean> {
  const own = await ownIdentity();
  if (own === undefined || own.boot !== owner.boot || own.namespace !== owner.namespace) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  const now = await statusOf(String(owner.pid));
  return now !== undefined && (now.startedAt !== owner.startedAt || now.state === "Z" || now.state === "X");
}

interface ProcessStatus {
  readonly pid: number;
  readonly state: string | undefined;
  readonly startedAt: string;
}

async function statusOf(process: string): Promise<ProcessStatus | undefined> {
  const text = await readFile(`/proc/${process}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything: what follows its last parenthesis begins with the third field.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startedAt = fields[19];
  return startedAt === undefined
    ? undefined
    : { pid: Number.parseInt(text, 10), state: fields[0], startedAt };
}
