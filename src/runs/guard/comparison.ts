import { IdHash, viewOf } from "../../sync/ids/id-hash.js";
import { IdTable } from "../../sync/ids/id-table.js";
import type { KnownIds } from "../ledger/collection-ledger.js";
import { eachLine, idOfLine, wholeLines } from "../ledger/id-lines.js";
import type { Lines } from "../ledger/value.js";

const FIRST_IDS = 20;

/** A set of ids that the service may have, and how many of them are missing from the snapshot. */
export interface ComparedSet {
  readonly origin: KnownIds["state"];
  readonly known: number;
  readonly gone: number;
}

export interface Comparison {
  /** Number of ids in the ledger: those of the last completed snapshot, and of others that the service may have. */
  readonly known: number;
  readonly sent: number;
  readonly new: number;
  readonly kept: number;
  /** Number of known ids missing from the snapshot: completing it marks them as removed. */
  readonly gone: number;
  /** Each set by itself, because the many ids of a large set could hide that a small set is gone. */
  readonly sets: readonly ComparedSet[];
  readonly firstGone: readonly string[];
}

/** Compares a snapshot's ids with the known ones, which are read as streams. */
export async function compareIds(
  snapshot: IdTable,
  knownIds: readonly Pick<KnownIds, "state" | "lines">[],
): Promise<Comparison> {
  // Counts an id once even if it's in several sets.
  const counted = knownIds.length > 1 ? new IdTable() : undefined;
  const firstGone: string[] = [];
  const sets: ComparedSet[] = [];
  let known = 0;
  let kept = 0;
  for (const ids of knownIds) {
    const set = { origin: ids.state, known: 0, gone: 0 };
    await forEachId(ids.lines(), snapshot, (low, high, piece, start, end) => {
      const isKept = snapshot.has(low, high);
      set.known += 1;
      if (!isKept) set.gone += 1;
      if (counted !== undefined && counted.add(low, high, 0, 0) !== -1) return;
      known += 1;
      if (isKept) kept += 1;
      else if (firstGone.length < FIRST_IDS) firstGone.push(idOfLine(piece.subarray(start, end)));
    });
    sets.push(set);
  }
  const { size: sent } = snapshot;
  return { known, sent, new: sent - kept, kept, gone: known - kept, sets, firstGone };
}

export async function* goneLines(snapshot: IdTable, knownIds: readonly KnownIds[]): Lines {
  const counted = knownIds.length > 1 ? new IdTable() : undefined;
  for (const ids of knownIds)
    yield* linesWhere(
      ids.lines(),
      (low, high) =>
        !snapshot.has(low, high) && (counted === undefined || counted.add(low, high, 0, 0) === -1),
    );
}

export async function* linesWhere(lines: Lines, isWanted: (low: number, high: number) => boolean): Lines {
  const hash = new IdHash();
  for await (const piece of wholeLines(lines)) {
    const wanted: Uint8Array[] = [];
    const view = viewOf(piece);
    eachLine(piece, (start, end) => {
      hash.id(view, start, end);
      if (isWanted(hash.low, hash.high)) wanted.push(piece.subarray(start, end + 1));
    });
    if (wanted.length > 0) yield Buffer.concat(wanted);
  }
}

/** How many ids are hashed before the first is looked up. */
const GROUP = 256;

/** Calls back with the hash and the place of each id. The callback looks the hash up in the table. */
async function forEachId(
  lines: Lines,
  table: IdTable,
  callback: (low: number, high: number, piece: Uint8Array, start: number, end: number) => void,
): Promise<void> {
  const hash = new IdHash();
  const hashes = new Int32Array(2 * GROUP);
  const places = new Int32Array(2 * GROUP);
  let count = 0;
  let piece: Uint8Array;
  let view: DataView;
  // Used for all pieces, because V8 would compile a new function for each.
  const lookUp = () => {
    table.warm(hashes, count);
    for (let at = 0; at < 2 * count; at += 2)
      callback(hashes[at] ?? 0, hashes[at + 1] ?? 0, piece, places[at] ?? 0, places[at + 1] ?? 0);
    count = 0;
  };
  const note = (start: number, end: number) => {
    hash.id(view, start, end);
    hashes[2 * count] = hash.low;
    hashes[2 * count + 1] = hash.high;
    places[2 * count] = start;
    places[2 * count + 1] = end;
    count += 1;
    if (count === GROUP) lookUp();
  };
  for await (piece of wholeLines(lines)) {
    view = viewOf(piece);
    eachLine(piece, note);
    lookUp();
  }
}

export async function tableOf(lines: Lines): Promise<IdTable> {
  const table = new IdTable();
  await forEachId(lines, table, (low, high) => void table.add(low, high, 0, 0));
  return table;
}
