import { raceAbort } from "../core/abort.js";
import { resolveConnection } from "./connect.js";
import type { Io } from "./io.js";
import { openHistory } from "./ledger.js";
import { type Options, UsageError } from "./options.js";

/** Approves a held run. */
export async function run([id = ""]: readonly string[], options: Options, io: Io): Promise<void> {
  const { held, ledger } = await openHistory(await resolveConnection(options), io);
  const [found, ...further] = held.filter(({ approval }) => id.length > 3 && approval.id.startsWith(id));
  if (held.length === 0)
    throw new UsageError(
      `No run in ${ledger.location} is held: a later run completed, or the held run is in another ledger. Use that run's folder, configuration and environment.`,
    );
  if (found === undefined || further.length > 0) {
    const others = held.map(({ approval }) => approval.id).join(", ");
    throw new UsageError(
      `Pass the id of one held run, or at least its first 4 characters: ${others}. Nothing was changed.`,
    );
  }
  const { approval, isApproved } = found;
  if (approval.expiresAt.getTime() <= Date.now())
    throw new UsageError("The approval has expired. Run again: a held run offers a new approval.");
  if (!isApproved) await raceAbort(ledger.approve(approval.id), io.signal);
  const until = approval.expiresAt.toISOString();
  io.data(
    { approved: approval.id, expiresAt: until },
    () =>
      `Approved until ${until}: the next run passes if it differs from the held one by no more than the guard allows. Approved by mistake? Push the correct source now, which ends the approval.`,
  );
}
