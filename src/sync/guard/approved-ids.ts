/** The list of an approval beside a snapshot. */

import { IdHash } from "../ids/id-hash.js";
import { IdTable } from "../ids/id-table.js";
import type { KnownIds } from "../ledger/ledger.js";
import { forEachId } from "./comparison.js";
import { exceeds, type ResolvedRule } from "./rules.js";

type Lines = AsyncIterable<Uint8Array>;

/** Whether every known id that the snapshot lacks is one of those that were approved of. */
export async function areOnlyTheseGone(
  snapshot: IdTable,
  knownIds: readonly KnownIds[],
  approved: Lines,
): Promise<boolean> {
  const hash = new IdHash();
  const allowed = await tableOf(approved);
  let covered = true;
  for (const ids of knownIds) {
    await forEachId(ids.lines(), hash, () => {
      covered &&= snapshot.has(hash.low, hash.high) || allowed.has(hash.low, hash.high);
    });
  }
  return covered;
}

/**
 * Whether the snapshot has the ids of a run that was held, as far as the rule wants a snapshot to have those of the one
 * before: many of them must not hide that those are missing which a smaller known set has as well.
 */
export async function keepsHeldRun(
  snapshot: IdTable,
  knownIds: readonly KnownIds[],
  heldRun: Lines,
  rule: ResolvedRule,
): Promise<boolean> {
  const hash = new IdHash();
  const expected = await tableOf(heldRun);
  let gone = 0;
  expected.forEach((low, high) => {
    if (!snapshot.has(low, high)) gone += 1;
  });
  const sets = [{ known: expected.size, gone }];
  for (const ids of knownIds) {
    const set = { known: 0, gone: 0 };
    await forEachId(ids.lines(), hash, () => {
      // That the held run lacked it, its error had told.
      if (!expected.has(hash.low, hash.high)) return;
      set.known += 1;
      if (!snapshot.has(hash.low, hash.high)) set.gone += 1;
    });
    sets.push(set);
  }
  return !sets.some((set) => exceeds({ ...set, sent: snapshot.size }, rule));
}

/** Whether both lists have the same ids. The second has none twice. */
export async function areSameIds(lines: Lines, others: Lines): Promise<boolean> {
  const hash = new IdHash();
  const table = await tableOf(lines);
  let count = 0;
  let same = true;
  await forEachId(others, hash, () => {
    count += 1;
    same &&= table.has(hash.low, hash.high);
  });
  return same && count === table.size;
}

async function tableOf(lines: Lines): Promise<IdTable> {
  const hash = new IdHash();
  const table = new IdTable();
  await forEachId(lines, hash, () => void table.add(hash.low, hash.high, 0, 0));
  return table;
}
