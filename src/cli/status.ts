import { once } from "node:events";
import { raceAbort } from "../core/abort.js";
import { escapeControls } from "../core/redact.js";
import { heldLines, worstOf } from "../runs/guard/held-report.js";
import type { RunHistory } from "../runs/history.js";
import { type Connection, resolveConnection } from "./connect.js";
import { EXIT } from "./exit-codes.js";
import { heldPage } from "./held-page.js";
import { forTerminal, type Io } from "./io.js";
import { installationsOf, openHistory } from "./ledger.js";
import type { Options } from "./options.js";
import { isPage } from "./page.js";
import { approveSteps, lineOf } from "./problem.js";

/** Shows one installation's last and held runs, or all installations; the exit code says whether a run is held. */
export async function run(_: readonly string[], options: Options, io: Io): Promise<void> {
  const asPage = isPage(options, io);
  const connection = await resolveConnection(options);
  if (connection.installationId === undefined && options.ids !== true) return showAll(connection, asPage, io);
  const { runs, held, ledger } = await openHistory(connection, io);
  if (held.length > 0) process.exitCode = EXIT.held;
  if (options.ids === true) {
    for (const one of held)
      for await (const listed of ledger.idsOf(one)) {
        const { collection, id, change } = listed;
        const mark = change === "sent" ? "" : ` (${change === "added" ? "new" : change})`;
        const text = `${collection} ${escapeControls(id)}${mark}`;
        if (!io.write(`${io.json ? JSON.stringify(listed) : text}\n`))
          await once(process.stdout, "drain", { signal: io.signal });
      }
    return;
  }
  if (asPage) return void io.write(heldPage([{ runs, held }]));
  const next = approveSteps(held.filter(({ isApproved }) => !isApproved));
  io.data({ runs, held, next }, () => {
    const completed = runs.map((one) => `${one.completedAt.toISOString()} ${one}`);
    if (completed.length === 0)
      completed.push(`No completed run of this installation is in ${ledger.location}.`);
    const told = [...completed, ...held.flatMap(describe)].join("\n");
    return [forTerminal(told, process.stdout), ...next.map(lineOf)].join("\n");
  });
}

async function showAll(connection: Connection, asPage: boolean, io: Io): Promise<void> {
  const all = await raceAbort(installationsOf(connection), io.signal);
  if (all.some(({ held }) => held.length > 0)) process.exitCode = EXIT.held;
  if (asPage) return void io.write(heldPage(all));
  const installations = all.map(({ runs: _, ...one }) => one);
  io.data({ installations }, () => {
    const lines = installations.map(({ endpoint, installationId, completedAt, lateMs = 0, held }) => {
      const isTwice = installations.filter((one) => one.installationId === installationId).length > 1;
      const completed = completedAt === undefined ? "never completed" : completedAt.toISOString();
      const late = lateMs > 60_000 ? `, ${(lateMs / 3_600_000).toFixed(1)} h late` : "";
      const since = held.map((one) => `; held since ${one.heldAt.toISOString()}: ${worstOf(one.reasons)}`);
      return `${escapeControls(installationId)}${isTwice ? ` of ${endpoint}` : ""}  ${completed}${late}${since.join("")}`;
    });
    return lines.length === 0 ? "The ledger has no runs." : lines.join("\n");
  });
}

function describe(held: RunHistory["held"][number]): readonly string[] {
  const until = `; approved: runs like this one go through until ${held.approval.expiresAt.toISOString()}`;
  return ["", `Held since ${held.heldAt.toISOString()}${held.isApproved ? until : ""}.`, ...heldLines(held)];
}
