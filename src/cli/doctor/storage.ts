import { randomBytes } from "node:crypto";
import { statfs, unlink, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";
import type { InstallationScope } from "../../sync/ledger/entries.js";
import { type Ledger, requireLedger } from "../../sync/ledger/ledger.js";
import { openBatches } from "../../sync/ledger/owner.js";
import type { Store } from "../../sync/ledger/store.js";
import { readSpoolOptions, type SpoolOptions } from "../../sync/run/spool.js";
import { bad, ok, skipped } from "./check.js";

const GIB = 1024 ** 3;
/** Numbers of file systems that lose their files, or share them with other machines. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  16914836: "memory, which forgets at a restart",
  26985: "a network drive (NFS)",
  4283649346: "a network drive (CIFS)",
  4266872130: "a network drive (SMB)",
};

/** Writes to a store and deletes it again. */
async function checkStore(location: string, store: Store) {
  const key = `doctor/${randomBytes(8).toString("hex")}`;
  await store.putIfAbsent(
    key,
    (async function* () {
      yield Buffer.from("doctor");
    })(),
  );
  await store.delete(key);
  if (!isAbsolute(location)) return ok(`${location} can be written`);
  const { type, bavail, bsize } = await statfs(location);
  const free = bavail * bsize;
  const text = `${location} can be written, ${(free / GIB).toFixed(1)} GiB free`;
  const kind = FILE_SYSTEMS[type];
  if (kind !== undefined)
    return bad(`${text}, on ${kind}`, "Keep it on a disk of this machine, or in PostgreSQL.");
  return free < GIB ? bad(text, "Make room: a run that cannot store its ids is not completed.") : ok(text);
}

export async function checkLedger(ledger: Ledger | "none") {
  const parts = requireLedger(ledger);
  if (ledger !== "none" && parts !== undefined) return checkStore(ledger.location, parts.store);
  return bad("not set", "Set a ledger: without one, a truncated snapshot can remove records.");
}

/** Where a run keeps what it reads until all of it was judged. */
export async function checkSpool(options: SpoolOptions | undefined) {
  const { directory } = readSpoolOptions("sync.spool", options, ConfigurationError);
  const path = join(directory, `saas-management-${randomBytes(8).toString("hex")}.doctor`);
  await writeFile(path, "", { flag: "wx", mode: 0o600 });
  await unlink(path);
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const text = `${directory} can be written, ${(free / GIB).toFixed(1)} GiB free`;
  return free < GIB ? bad(text, "Make room, or set sync.spool.directory: a run must fit there.") : ok(text);
}

/** Who has the lock, as far as the ledger knows: the service does not tell. */
export async function checkLock(ledger: Ledger | "none", scope: InstallationScope | undefined) {
  const parts = requireLedger(ledger);
  if (parts === undefined || scope === undefined)
    return skipped("needs a ledger, a Sync API address and an installation");
  const open = await openBatches(parts, scope);
  const [last] = open;
  if (last === undefined) return ok("no run of this ledger is under way");
  const { batchId, owner, heartbeat, isGone } = last;
  const silent = Math.round((Date.now() - heartbeat) / 1000);
  const text = `batch ${batchId} of process ${owner} (last sign of life ${silent} s ago)`;
  return isGone
    ? bad(`${text}, which has died`, "The next run aborts it. Until then its lock lasts at most 15 minutes.")
    : ok(`${text} is under way`);
}
