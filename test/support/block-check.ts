/** Compares blocks of records with the encoder of single records. */
import type { Collection } from "@saas-management/sdk";
import fc from "fast-check";
import { COLLECTIONS } from "../../src/sync/collections.js";
import { type EncodedMessage, MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { BLOCK_ENCODERS, ENCODERS } from "../../src/sync/generated/encoders.js";
import { LONG_RECORDS, PLAIN_RECORDS, RECORDS } from "./record-arbitraries.js";
import { mutated } from "./record-mutations.js";

export interface BlockCounts {
  records: number;
  inBlocks: number;
  refused: number;
}

/** One record in this many is odd, long or wrongly changed; 0 means none. */
const STYLES = [
  { odd: 40, changed: 40, long: 0 },
  { odd: 3, changed: 3, long: 0 },
  { odd: 0, changed: 0, long: 12 },
  { odd: 0, changed: 0, long: 25 },
  ...Array.from({ length: 6 }, () => ({ odd: 0, changed: 0, long: 0 })),
];
const TARGETS = [1000, 20_000, ...Array.from({ length: 5 }, () => 1 << 20)];
const LIST = 200;

/** Draws lists of records until there are enough. @throws {Error} two encodings differ */
export function checkBlocks(name: Collection, seed: number, wanted: number): BlockCounts {
  const draw = drawFrom(seed);
  const sample = (records: fc.Arbitrary<unknown>, numRuns: number) => fc.sample(records, { seed, numRuns });
  const plain = sample(PLAIN_RECORDS[name], Math.ceil(wanted / 2));
  const odd = sample(RECORDS[name], Math.ceil(wanted / 20));
  const long = sample(LONG_RECORDS[name], 10);
  const changed = sample(mutated(PLAIN_RECORDS[name]), Math.ceil(wanted / 20));
  const counts: BlockCounts = { records: 0, inBlocks: 0, refused: 0 };
  for (let list = 0; counts.records < wanted; list += 1) {
    const style = pick(() => list % STYLES.length, STYLES);
    const isOne = (every: number) => every > 0 && draw(every) === 0;
    // Long records first make the buffer grow, and then end up in a block.
    const length = style.long > 0 ? LIST : 1 + draw(LIST);
    const records = Array.from({ length }, () =>
      pick(draw, isOne(style.odd) ? odd : isOne(style.changed) ? changed : isOne(style.long) ? long : plain),
    );
    const target = pick(draw, TARGETS) + draw(20);
    checkList({ name, records, target, leavesOut: draw(4) === 0 }, counts);
  }
  return counts;
}

/** Returns whole numbers below a limit. */
type Draw = (below: number) => number;

function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick<T>(draw: Draw, choices: readonly T[]): T {
  const at = draw(choices.length);
  if (!(at in choices)) throw new Error("There is nothing to choose from.");
  return choices[at] as T;
}

/**
 * Encodes accounts, some of which end where the first buffer ends. Every other length takes two bytes.
 * @throws {Error} two encodings differ
 */
export function checkEndOfBuffer(): void {
  const counts: BlockCounts = { records: 0, inBlocks: 0, refused: 0 };
  // Two records take 272 bytes. The first three records grow, so that each round moves the others by one byte.
  for (let moved = 0; moved < 280; moved += 1) {
    const records = Array.from({ length: 200 }, (_, i) => ({
      id: "a".repeat(i < 3 ? 1 + Math.floor((moved + i) / 3) : 60),
      name: "b".repeat(i % 2 === 0 ? 80 : 50),
      active: true,
    }));
    checkList({ name: "accounts", records, target: 1 << 20, leavesOut: false }, counts);
  }
}

interface List {
  readonly name: Collection;
  readonly records: readonly unknown[];
  /** Size of a message. */
  readonly target: number;
  /** Whether a third of the records is left out, like events that were accepted before. */
  readonly leavesOut: boolean;
}

function isWanted({ leavesOut }: List, index: number): boolean {
  return !leavesOut || index % 3 !== 1;
}

function checkList(list: List, counts: BlockCounts): void {
  const { records } = list;
  const single = encodeSingly(list);
  const { messages, inBlocks } = encodeInBlocks(list);
  counts.records += records.length;
  counts.inBlocks += inBlocks;
  requireSame("the number of messages", messages.length, single.messages.length);
  for (const [i, message] of messages.entries()) {
    const expected = single.messages[i];
    requireSame("the number of records", message.records, expected?.records);
    requireSame("the first index", message.firstIndex, expected?.firstIndex);
    requireSame("the place of the body", message.bodyStart, expected?.bodyStart);
    requireSame("the bytes", Buffer.compare(message.bytes, expected?.bytes ?? Buffer.alloc(0)), 0);
  }
  counts.refused += single.refused;
}

function encodeSingly(list: List) {
  const { name, records, target } = list;
  const builder = new MessageBuilder("batch-1", COLLECTIONS[name], target);
  const messages: EncodedMessage[] = [];
  let refused = 0;
  for (const [i, record] of records.entries()) {
    if (builder.encode(record, ENCODERS[name])) keep(builder, list, i, messages);
    else refused += 1;
  }
  messages.push(builder.flush());
  return { messages, refused };
}

function encodeInBlocks(list: List) {
  const { name, records, target } = list;
  const builder = new MessageBuilder("batch-1", COLLECTIONS[name], target);
  const messages: EncodedMessage[] = [];
  let inBlocks = 0;
  for (let i = 0; i < records.length; ) {
    const block = builder.encodeBlock(records, i, BLOCK_ENCODERS[name]);
    const first = i;
    if (block !== undefined)
      builder.keepBlock(
        block,
        i,
        list.leavesOut ? (_start, _end, record) => isWanted(list, first + record) : undefined,
      );
    else if (builder.encode(records[i], ENCODERS[name])) keep(builder, list, i, messages);
    inBlocks += block?.records ?? 0;
    i += block?.records ?? 1;
  }
  messages.push(builder.flush());
  return { messages, inBlocks };
}

function keep(builder: MessageBuilder, list: List, index: number, messages: EncodedMessage[]): void {
  const full = isWanted(list, index) ? builder.keep(index) : builder.drop();
  if (full !== undefined) messages.push(full);
}

function requireSame<T>(what: string, actual: T, expected: T): void {
  if (actual !== expected) throw new Error(`${what} differs: ${actual} instead of ${expected}`);
}
