import type { Command } from "commander";
import { releaseApproval } from "../../sync/ledger/installation.js";
import { forgetHeld } from "../../sync/ledger/run-log.js";
import { addExamples } from "../examples.js";
import type { Io } from "../io.js";
import { addDecision } from "./open-history.js";

export function define(command: Command, io: Io): void {
  addExamples(command, "saas-management refuse 6f0d3c1e-…");
  command.description(
    "Withdraws the approval that a held run offers. A run that does the same is held again.",
  );
  addDecision(command, io, async ({ ledger, scope }, _, id) => {
    await releaseApproval(ledger, scope, id);
    await forgetHeld(ledger, scope, id);
    io.data({ refused: id }, () => "Refused. Correct the source; a run that does the same is held again.");
  });
}
