import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { escapeControls } from "../../core/redact.js";
import { isCollection, isSnapshot } from "../../sync/collections.js";
import { CollectionLedger } from "../../sync/ledger/collection-ledger.js";
import { idsOf } from "../../sync/ledger/id-lines.js";
import { addExamples, numberOf } from "../command-module.js";
import { addConnectionOptions, type ConnectionOptions } from "../connection/connect.js";
import type { Io } from "../io.js";
import { type OpenedHistory, openHistory } from "./open-history.js";

interface HeldOptions extends ConnectionOptions {
  readonly ids?: boolean;
  readonly page?: string;
  readonly out?: string;
}

type Held = NonNullable<OpenedHistory["held"]>;

const PAGE = 50;

export function define(command: Command, io: Io): void {
  addExamples(
    command,
    "saas-management held",
    "saas-management held --ids --page 2",
    "saas-management held --ids --out ids.txt",
  );
  command
    .description("Shows the run that is held and why, and the ids and fields that it is about.")
    .option("--ids", "list the ids, collection and id on a line: all of them, or a page")
    .option("--page <number>", `show one page of ${PAGE} ids (on a terminal: the first)`)
    .option("--out <file>", "write all ids to a new file that only you can read");
  addConnectionOptions(command).action(async (options: HeldOptions) => {
    const history = await openHistory(options, io);
    if (options.ids === true && history.held !== undefined) await listIds(history, history.held, options, io);
    else io.data({ held: history.held ?? null }, () => describe(history.held));
  });
}

function describe(held: OpenedHistory["held"]): string {
  if (held === undefined) return "Nothing is held.";
  const since = `Held since ${held.heldAt.toISOString()}${held.isApproved ? "; approved" : ""}.`;
  const details = held.reasons.flatMap(({ collection, fields = [], examples }) => [
    ...(fields.length > 0 ? [`Fields of ${collection}: ${fields.join(", ")}`] : []),
    ...(examples.length > 0
      ? [`First ids of ${collection}: ${examples.map((id) => JSON.stringify(escapeControls(id))).join(", ")}`]
      : []),
  ]);
  return [since, String(held), ...details].join("\n");
}

async function listIds(history: OpenedHistory, held: Held, given: HeldOptions, io: Io): Promise<void> {
  const lines = idLines(history, held, io.json);
  if (given.out !== undefined) {
    // "wx": a link or another file of that name is left alone.
    const file = createWriteStream(given.out, { mode: 0o600, flags: "wx" });
    await pipeline(Readable.from(lines), file, { signal: io.signal });
    io.note(`Written to ${given.out}.`);
    return;
  }
  const isPaged = given.page !== undefined || (process.stdout.isTTY === true && !io.json);
  const page = numberOf("--page", given.page ?? "1", /^[1-9]\d{0,6}$/, "a number from 1");
  let index = 0;
  for await (const line of lines) {
    io.signal.throwIfAborted();
    index += 1;
    if (isPaged && index <= (page - 1) * PAGE) continue;
    if (isPaged && index > page * PAGE) {
      io.note(`More: --page ${page + 1}, or all of them with --out FILE.`);
      return;
    }
    if (!io.write(line)) await new Promise<void>((drained) => process.stdout.once("drain", drained));
  }
}

async function* idLines({ ledger, scope }: OpenedHistory, held: Held, json: boolean): AsyncGenerator<string> {
  const names = new Set(held.reasons.map(({ collection }) => collection));
  for (const collection of names) {
    if (!isCollection(collection) || !isSnapshot(collection)) continue;
    const pending = await new CollectionLedger(ledger, { ...scope, collection }).held();
    if (pending === undefined) continue;
    for await (const id of idsOf(pending.lines()))
      yield json ? `${JSON.stringify({ collection, id })}\n` : `${collection} ${escapeControls(id)}\n`;
    for await (const id of idsOf(pending.added()))
      yield json
        ? `${JSON.stringify({ collection, added: id })}\n`
        : `${collection} ${escapeControls(id)} (new)\n`;
  }
}
