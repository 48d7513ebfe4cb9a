import { expect, test } from "vitest";
import { SnapshotIds } from "../../src/runs/guard/snapshot-ids.js";
import { afterVarint } from "../../src/sync/encoding/byte-writer.js";
import { MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { EncodedRecord } from "../../src/sync/encoding/record-inspector.js";
import { WIRE } from "../../src/sync/generated/collections.js";
import { BLOCK_ENCODERS } from "../../src/sync/generated/encoders.js";
import { FIELDS } from "../../src/sync/generated/fields.js";
import { FieldSampler } from "../../src/sync/ids/field-sample.js";
import { checkBlocks, checkEndOfBuffer } from "../support/block-check.js";
import { count } from "../support/fuzz.js";
import { RUNS, SEED, TIMEOUT_MS } from "../support/property-runs.js";
import { COLLECTION_NAMES } from "../support/record-arbitraries.js";

const wanted = Math.max(2000, Math.ceil(RUNS / COLLECTION_NAMES.length));

test.each(COLLECTION_NAMES)(
  "blocks of %s encode to the same bytes as single records",
  { timeout: TIMEOUT_MS },
  (name) => {
    const counts = checkBlocks(name, SEED, wanted);
    count({ group: "blocks of records", what: name, cases: counts.records });
    expect(counts.inBlocks).toBeGreaterThan(counts.records / 2);
    expect(counts.refused).toBeGreaterThan(0);
  },
);

test("records that end at the end of the buffer encode to the same bytes as single records", () => {
  checkEndOfBuffer();
});

const IDS = ["a", "b\\c", "d\ne", "a", "f".repeat(120), "b\\c", "g", "h", "a", "i"];
const plain = (id: string) => ({ id, name: "Grace Hopper", email: "grace@example.com", active: true });

/** What the guard collects from records encoded together: inspected as a block, or one by one. */
function collected(records: readonly unknown[], asBlock: boolean) {
  const lines: Uint8Array[] = [];
  const write = (piece: Uint8Array) => void lines.push(Buffer.from(piece));
  const sampler = new FieldSampler(FIELDS.accounts, []);
  const ids = new SnapshotIds({ sampler, write, keyOf: undefined });
  if (asBlock) ids.expect(100_000);
  const builder = new MessageBuilder("batch-1", WIRE.accounts, 1024 * 1024);
  const record = new EncodedRecord(true);
  const refusals: object[] = [];
  let taken = 0;
  for (let from = 0; from < records.length; ) {
    const block = builder.encodeBlock(records, from, BLOCK_ENCODERS.accounts);
    if (block === undefined) throw new Error("The records were not taken as a block.");
    const { buffer } = builder;
    if (asBlock) {
      const refusal = ids.inspectBlock(record, buffer, block, from);
      if (refusal !== undefined) refusals.push(refusal);
    } else
      for (let i = 0; i < block.records && refusals.length === 0; i += 1) {
        const start = afterVarint(buffer, afterVarint(buffer, block.starts[i] ?? 0));
        const expected = ids.inspect(record.moveTo(buffer, start, block.starts[i + 1] ?? 0, from + i));
        if (expected !== undefined) refusals.push({ record: i, expected });
      }
    builder.keepBlock(block, from);
    taken += block.records;
    if (refusals.length > 0) break;
    from += block.records;
  }
  ids.flush();
  const { duplicates } = ids;
  return {
    lines: `${Buffer.concat(lines)}`,
    size: ids.table.size,
    duplicates,
    sample: sampler.sample(),
    refusals,
    taken,
  };
}

test.each([
  ["equal records", IDS.map(plain)],
  [
    "different records of one id",
    [...IDS.slice(0, 6).map(plain), { ...plain("a"), name: "Alan" }, ...["x", "y", "z"].map(plain)],
  ],
])("the guard collects the same from a block as from single records: %s", (_, records) => {
  const { taken, ...block } = collected(records, true);
  expect(taken).toBe(records.length);
  expect({ taken, ...block }).toEqual(collected(records, false));
});

/** Encodes accounts, in blocks where that pays off. */
function shares(names: readonly string[]) {
  const builder = new MessageBuilder("batch-1", WIRE.accounts, 1024 * 1024);
  const records = names.map((name) => ({ ...plain("a"), name }));
  let inBlocks = 0;
  let read = 0;
  for (let i = 0; i < records.length; ) {
    const block = builder.encodeBlock(records, i, (to, ...rest) => {
      BLOCK_ENCODERS.accounts(to, ...rest);
      read += to.records;
    });
    const taken = block?.records ?? 0;
    inBlocks += taken;
    i += taken || 1;
  }
  return { inBlocks: inBlocks / records.length, inVain: (read - inBlocks) / records.length };
}

test.each([2, 3, 8, 20, 50])("leaves blocks if one record of %i has non-ASCII letters", (every) => {
  const { inVain } = shares(Array.from({ length: 20_000 }, (_, i) => (i % every === 0 ? "José" : "Grace")));
  expect(inVain).toBeLessThan(0.02);
});

test("encodes blocks again once records are plain again, and rarely stops for a single unusual record", () => {
  const names = Array.from({ length: 100_000 }, (_, i) => (i < 1000 || i % 2000 === 0 ? "José" : "Grace"));
  const { inBlocks, inVain } = shares(names);
  expect(inBlocks).toBeGreaterThan(0.9);
  expect(inVain).toBeLessThan(0.05);
});
