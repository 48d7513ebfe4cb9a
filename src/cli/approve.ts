import { resolveConnection } from "./connect.js";
import type { Io } from "./io.js";
import { openHistory } from "./ledger.js";
import { type Options, UsageError } from "./options.js";

/** Approves the held run. */
export async function run([id]: readonly string[], options: Options, io: Io): Promise<void> {
  const { held, ledger } = await openHistory(await resolveConnection(options), io);
  const approval = held?.approval;
  if (held === undefined || approval === undefined)
    throw new UsageError(`No run is held in ${ledger.location}: it was decided, or a later run completed.`);
  if (approval.id !== id)
    throw new UsageError(`Another run is held, with the approval ${approval.id}. Nothing was changed.`);
  if (approval.expiresAt.getTime() <= Date.now())
    throw new UsageError("The approval has expired. Run again: if that run is held, it offers a new one.");
  if (!held.isApproved) await ledger.approve(approval.id);
  const until = approval.expiresAt.toISOString();
  io.data(
    { approved: id, expiresAt: until },
    () => `Approved until ${until}. The next push or run goes through if it changes no more than was shown.`,
  );
}
