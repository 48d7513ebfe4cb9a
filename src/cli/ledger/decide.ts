/** The commands `runs`, `approve` and `refuse`. */
import type { Command } from "commander";
import { logApproved, releaseApproval } from "../../sync/ledger/run-log.js";
import { addExamples, type CommandModule, UsageError } from "../command-module.js";
import { addConnectionOptions, type ConnectionOptions } from "../connection/connect.js";
import type { Io } from "../io.js";
import { type OpenedHistory, openHistory } from "./open-history.js";

type Held = NonNullable<OpenedHistory["held"]>;

export const runs: CommandModule = {
  define(command, io) {
    addExamples(command, "saas-management runs", "saas-management runs --json | jq .runs[-1]");
    command.description(
      "Shows the last runs that this ledger has seen completed, up to 30, with their figures.",
    );
    addConnectionOptions(command).action(async (options: ConnectionOptions) => {
      const { runs: seen, held } = await openHistory(options, io);
      const lines = seen.map((run) => `${io.style("bold", run.completedAt.toISOString())} ${run}`);
      if (lines.length === 0) lines.push("The ledger knows no completed run of this installation.");
      if (held !== undefined) lines.push(`A run is held since ${held.heldAt.toISOString()}: see held.`);
      io.data({ runs: seen, held: held ?? null }, () => lines.join("\n"));
    });
  },
};

export const approve: CommandModule = {
  define(command, io) {
    addExamples(command, "saas-management held", "saas-management approve 6f0d3c1e…");
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
  },
};

export const refuse: CommandModule = {
  define(command, io) {
    addExamples(command, "saas-management refuse 6f0d3c1e…");
    command.description(
      "Withdraws the approval that a held run offers. A run that does the same is held again.",
    );
    addDecision(command, io, async ({ ledger, scope }, _, id) => {
      await releaseApproval(ledger, scope, id);
      io.data({ refused: id }, () => "Refused. Correct the source; a run that does the same is held again.");
    });
  },
};

/** Makes a command that decides about the run that is held. */
function addDecision(
  command: Command,
  io: Io,
  decide: (history: OpenedHistory, held: Held, approvalId: string) => Promise<void>,
): void {
  command.argument("<id>", "id of the approval that the held run offers");
  addConnectionOptions(command).action(async (id: string, options: ConnectionOptions) => {
    const history = await openHistory(options, io);
    const { held } = history;
    if (held?.approval === undefined)
      throw new UsageError("Nothing is held: it was decided, or a later run was completed.");
    if (held.approval.id !== id)
      throw new UsageError("Another approval is pending: see saas-management held. Nothing was changed.");
    await decide(history, held, id);
  });
}
