/** Compares blocks of records with the encoder of single records, and both with protobufjs. */
import { isDeepStrictEqual } from "node:util";
import type { Collection } from "@saas-management/sdk";
import fc from "fast-check";
import { COLLECTIONS } from "../../src/sync/collections.js";
import { afterVarint, varintAt } from "../../src/sync/encoding/byte-writer.js";
import { type EncodedMessage, MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { BLOCK_ENCODERS, ENCODERS } from "../../src/sync/generated/encoders.js";
import { recordType } from "./contract.js";
import { LONG_RECORDS, PLAIN_RECORDS, RECORDS } from "./record-arbitraries.js";
import { mutated } from "./record-mutations.js";
import { ofInput, ofProtobufjs } from "./wire-form.js";

export interface BlockCounts {
  records: number;
  inBlocks: number;
  refused: number;
  foreign: number;
}

/** Of a list's records one in so many is odd, changed as people change them by mistake, or long. */
const STYLES = [
  { odd: 40, changed: 40, long: 0 },
  { odd: 3, changed: 3, long: 0 },
  { odd: 0, changed: 0, long: 12 },
  { odd: 0, changed: 0, long: 25 },
  ...Array.from({ length: 6 }, () => ({ odd: 0, changed: 0, long: 0 })),
];
const TARGETS = [1000, 20_000, ...Array.from({ length: 5 }, () => 1 << 20)];
const LIST = 200;

/** Draws lists of records until there are enough. @throws Error two encodings differ */
export function checkBlocks(name: Collection, seed: number, wanted: number): BlockCounts {
  const draw = drawFrom(seed);
  const sample = (records: fc.Arbitrary<unknown>, numRuns: number) => fc.sample(records, { seed, numRuns });
  const plain = sample(PLAIN_RECORDS[name], Math.ceil(wanted / 2));
  const odd = sample(RECORDS[name], Math.ceil(wanted / 20));
  const long = sample(LONG_RECORDS[name], 10);
  const changed = sample(mutated(PLAIN_RECORDS[name]), Math.ceil(wanted / 20));
  const counts: BlockCounts = { records: 0, inBlocks: 0, refused: 0, foreign: 0 };
  for (let list = 0; counts.records < wanted; list += 1) {
    const style = pick(() => list % STYLES.length, STYLES);
    const isOne = (every: number) => every > 0 && draw(every) === 0;
    // Long records make the buffer grow first, and are then in a block.
    const length = style.long > 0 ? LIST : 1 + draw(LIST);
    const records = Array.from({ length }, () =>
      pick(draw, isOne(style.odd) ? odd : isOne(style.changed) ? changed : isOne(style.long) ? long : plain),
    );
    const target = pick(draw, TARGETS) + draw(20);
    checkList({ name, records, target, leavesOut: draw(4) === 0, changed: new Set(changed) }, counts);
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
 * Encodes accounts whose lengths take two bytes and one by turns, so that some end where the first buffer ends.
 * @throws Error two encodings differ
 */
export function checkEndOfBuffer(): void {
  const counts: BlockCounts = { records: 0, inBlocks: 0, refused: 0, foreign: 0 };
  // Two records take 272 bytes; the first three move the others by one byte each time.
  for (let moved = 0; moved < 280; moved += 1) {
    const records = Array.from({ length: 200 }, (_, i) => ({
      id: "a".repeat(i < 3 ? 1 + Math.floor((moved + i) / 3) : 60),
      name: "b".repeat(i % 2 === 0 ? 80 : 50),
      active: true,
    }));
    checkList({ name: "accounts", records, target: 1 << 20, leavesOut: false, changed: new Set() }, counts);
  }
}

interface List {
  readonly name: Collection;
  readonly records: readonly unknown[];
  /** Size of a message. */
  readonly target: number;
  /** Whether a third of the records is left out, as events are that were accepted before. */
  readonly leavesOut: boolean;
  /** Records of which protobufjs cannot tell the form: a hidden field may have the name of a variant. */
  readonly changed: ReadonlySet<unknown>;
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
  const sent = records.filter((_, i) => !single.refused.has(i) && isWanted(list, i));
  counts.refused += single.refused.size;
  counts.foreign += checkForeign(list, sent, messages);
}

function encodeSingly(list: List) {
  const { name, records, target } = list;
  const builder = new MessageBuilder("batch-1", COLLECTIONS[name], target);
  const messages: EncodedMessage[] = [];
  const refused = new Set<number>();
  for (const [i, record] of records.entries()) {
    if (builder.encode(record, ENCODERS[name])) keep(builder, list, i, messages);
    else refused.add(i);
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

/** The records of a message, each without its tag and length. */
function* recordsIn(name: Collection, { bytes, bodyStart }: EncodedMessage): Generator<Uint8Array> {
  let at = bodyStart;
  // Each message on the way to the records begins with a tag and a length.
  for (const _ of COLLECTIONS[name].path) at = afterVarint(bytes, afterVarint(bytes, at));
  while (at < bytes.length) {
    const length = afterVarint(bytes, at);
    const start = afterVarint(bytes, length);
    at = start + varintAt(bytes, length);
    yield bytes.subarray(start, at);
  }
}

/** Returns how many records have the bytes that protobufjs writes, which never leaves out an empty key or a zero. */
function checkForeign(
  { name, changed }: List,
  records: readonly unknown[],
  messages: readonly EncodedMessage[],
): number {
  const type = recordType(name);
  let at = 0;
  let same = 0;
  for (const message of messages) {
    for (const bytes of recordsIn(name, message)) {
      const record = records[at];
      at += 1;
      if (changed.has(record)) continue;
      const form = ofInput(type, record);
      const foreign = type.encode(type.fromObject(toForeign(form))).finish();
      if (Buffer.compare(foreign, bytes) === 0) same += 1;
      else {
        const decoded = ofProtobufjs(type, type.decode(bytes));
        requireSame("what protobufjs reads", isDeepStrictEqual(decoded, form), true);
      }
    }
  }
  requireSame("the number of valid records", at, records.length);
  return same;
}

/** What protobufjs makes a message of; a time's zeros are left out there, too. */
function toForeign(form: object): { [name: string]: unknown } {
  const isTime = Object.keys(form).join() === "seconds,nanos";
  const entries = form instanceof Map ? [...form] : Object.entries(form);
  return Object.fromEntries(
    entries.flatMap(([name, value]: [string, unknown]) => {
      if (isTime && Number(value) === 0) return [];
      if (typeof value === "bigint") return [[name, String(value)]];
      return [[name, isObject(value) && !Array.isArray(value) ? toForeign(value) : value]];
    }),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function requireSame<T>(what: string, actual: T, expected: T): void {
  if (actual !== expected) throw new Error(`${what} differs: ${actual} instead of ${expected}`);
}
