import type { Command } from "commander";
import { logApproved } from "../../sync/ledger/run-log.js";
import { addExamples } from "../examples.js";
import type { Io } from "../io.js";
import { UsageError } from "../usage-error.js";
import { addDecision } from "./open-history.js";

export function define(command: Command, io: Io): void {
  addExamples(command, "saas-management held", "saas-management approve 6f0d3c1e-…");
  command.description(
    "Records that a held run may pass. It runs nothing: the next push or run takes the approval, if it would do no more than was shown.",
  );
  addDecision(command, io, async ({ ledger, scope }, { approval, isApproved }, id) => {
    const now = Date.now();
    if (approval === undefined || approval.expiresAt.getTime() <= now)
      throw new UsageError("The approval has expired. The next run that is held offers another one.");
    if (!isApproved) await logApproved(ledger, scope, id, now);
    const until = approval.expiresAt.toISOString();
    io.data(
      { approved: id, expiresAt: until },
      () => `Approved until ${until}. The next push or run goes through if it does no more than was shown.`,
    );
  });
}
