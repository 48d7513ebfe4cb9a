import assert from "node:assert/strict";
import type { Store } from "@saas-management/sdk";

/** Checks what every store owes to a ledger; throws an AssertionError that says what it does not keep. */
export async function testStore(makeStore: () => Store | Promise<Store>): Promise<void> {
  for (const check of CHECKS) await check(await makeStore());
}

type Check = (store: Store) => Promise<void>;

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function* pieces(
  ...parts: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) yield typeof part === "string" ? bytesOf(part) : part;
}

async function read(value: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (value === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of value) parts.push(part.slice());
  return Buffer.concat(parts).toString();
}

async function listOf(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys.sort();
}

/** A value that waits in its middle. */
function pausedValue() {
  let goOn = () => {};
  let begin = () => {};
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const value = async function* () {
    yield bytesOf("first ");
    begin();
    await waiting;
    yield bytesOf("second");
  };
  return { value: value(), begun, goOn: () => goOn() };
}

const returnsWhatWasPut: Check = async (store) => {
  assert.equal(await store.putIfAbsent("a/b", pieces("value")), true, "a new key is stored");
  assert.equal(await read(await store.get("a/b")), "value", "get returns the value");
  assert.equal(await read(await store.get("a/b")), "value", "a value can be read again");
  assert.equal(await store.putIfAbsent("a/b", pieces("other")), false, "a key is stored once");
  assert.equal(await read(await store.get("a/b")), "value", "a value never changes");
};

const knowsNothingOfOthers: Check = async (store) => {
  assert.equal(await store.get("a/none"), undefined, "an absent key has no value");
  assert.deepEqual(await listOf(store, "a/"), [], "an absent prefix has no keys");
  await store.delete("a/none");
};

const takesOddPieces: Check = async (store) => {
  const large = "x".repeat(1_000_003);
  const buffer = bytesOf("0123456789");
  const reused = async function* () {
    for (const letter of ["a", "b", "c"]) yield buffer.fill(letter.charCodeAt(0)).subarray(2, 5);
  };
  await store.putIfAbsent("odd/large", pieces(large));
  await store.putIfAbsent("odd/single", pieces(...[..."single bytes"]));
  await store.putIfAbsent("odd/gaps", pieces("", "a", "", "", "b", ""));
  await store.putIfAbsent("odd/reused", reused());
  await store.putIfAbsent("odd/empty", pieces());
  await store.putIfAbsent("odd/bytes", pieces(Uint8Array.from({ length: 256 }, (_, i) => i)));
  assert.equal(await read(await store.get("odd/large")), large, "a large piece is stored");
  assert.equal(await read(await store.get("odd/single")), "single bytes", "small pieces are stored");
  assert.equal(await read(await store.get("odd/gaps")), "ab", "empty pieces are no ends");
  assert.equal(await read(await store.get("odd/reused")), "aaabbbccc", "pieces may use one buffer");
  assert.equal(await read(await store.get("odd/empty")), "", "an empty value is a value");
  const bytes = (await store.get("odd/bytes")) ?? pieces();
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part.slice());
  assert.deepEqual(
    [...Buffer.concat(parts)],
    Array.from({ length: 256 }, (_, i) => i),
    "bytes stay bytes",
  );
  assert.equal((await listOf(store, "odd/")).length, 6, "all are listed");
};

const takesAllKeys: Check = async (store) => {
  const long = `${"k".repeat(99)}/${"l".repeat(100)}`;
  const keys = ["a", "abcdefghijklmnopqrstuvwxyz.0123456789-_", "a.b/c-d/e_f", long];
  for (const key of keys) assert.equal(await store.putIfAbsent(key, pieces(key)), true, key);
  for (const key of keys) assert.equal(await read(await store.get(key)), key);
  assert.deepEqual(await listOf(store, ""), [...keys].sort(), "all keys are listed");
};

const listsByPrefix: Check = async (store) => {
  const keys = ["a/b", "a/b.c", "a/bc", "a/c", "a/d/e", "ab", "b/a"];
  for (const key of keys) await store.putIfAbsent(key, pieces(key));
  assert.deepEqual(await listOf(store, "a/b"), ["a/b", "a/b.c", "a/bc"], "a prefix is a beginning");
  assert.deepEqual(await listOf(store, "a/"), keys.slice(0, 5));
  assert.deepEqual(await listOf(store, "a"), keys.slice(0, 6));
};

const storesNothingOfAValueThatThrows: Check = async (store) => {
  const broken = new Error("the source broke");
  const value = async function* () {
    yield bytesOf("a part");
    throw broken;
  };
  await assert.rejects(store.putIfAbsent("t/key", value()), "a value that throws rejects");
  assert.equal(await store.get("t/key"), undefined, "nothing of it is stored");
  assert.deepEqual(await listOf(store, "t/"), []);
  assert.equal(await store.putIfAbsent("t/key", pieces("whole")), true, "the key is still free");
  assert.equal(await read(await store.get("t/key")), "whole");
};

const letsOneWin: Check = async (store) => {
  const values = Array.from({ length: 20 }, (_, i) => `value ${i}`.repeat(1000));
  const stored = await Promise.all(values.map((value) => store.putIfAbsent("race/key", pieces(value))));
  assert.equal(stored.filter((won) => won).length, 1, "one of several calls stores its value");
  assert.equal(await read(await store.get("race/key")), values[stored.indexOf(true)], "it is the winner's");
  const keys = Array.from({ length: 20 }, (_, i) => `race/other-${i}`);
  const others = await Promise.all(keys.map((key) => store.putIfAbsent(key, pieces(key))));
  assert.ok(
    others.every((won) => won),
    "calls with different keys do not hinder each other",
  );
};

const showsNoHalfValue: Check = async (store) => {
  const { value, begun, goOn } = pausedValue();
  const putting = store.putIfAbsent("half/key", value);
  await begun;
  assert.equal(await store.get("half/key"), undefined, "a value is not seen before its end");
  assert.deepEqual(await listOf(store, "half/"), []);
  // A put may last for hours: it hinders no other call.
  assert.equal(await store.putIfAbsent("half/other", pieces("other")), true);
  assert.equal(await read(await store.get("half/other")), "other");
  await store.delete("half/other");
  goOn();
  assert.equal(await putting, true);
  assert.equal(await read(await store.get("half/key")), "first second");
};

const letsALateOneLose: Check = async (store) => {
  const { value, begun, goOn } = pausedValue();
  const late = store.putIfAbsent("late/key", value);
  await begun;
  assert.equal(await store.putIfAbsent("late/key", pieces("early")), true, "the first one to end wins");
  goOn();
  assert.equal(await late, false);
  assert.equal(await read(await store.get("late/key")), "early");
};

const deletes: Check = async (store) => {
  await store.putIfAbsent("d/key", pieces("one"));
  await store.putIfAbsent("d/key2", pieces("two"));
  await store.delete("d/key");
  assert.equal(await store.get("d/key"), undefined);
  assert.deepEqual(await listOf(store, "d/"), ["d/key2"], "others stay");
  assert.equal(await store.putIfAbsent("d/key", pieces("again")), true, "a deleted key is free");
  assert.equal(await read(await store.get("d/key")), "again");
};

const readsWholeOrThrows: Check = async (store) => {
  const value = "0123456789".repeat(200_000);
  await store.putIfAbsent("r/key", pieces(value));
  const stream = (await store.get("r/key")) ?? pieces();
  const parts: Uint8Array[] = [];
  const reading = (async () => {
    for await (const part of stream) {
      if (parts.length === 0) await store.delete("r/key");
      parts.push(part.slice());
    }
    return Buffer.concat(parts).toString();
  })();
  const outcome = await reading.catch(() => "threw");
  assert.ok(
    outcome === value || outcome === "threw",
    "a reader of a deleted value gets all of it, or throws",
  );
};

const listsWhileItChanges: Check = async (store) => {
  const stay = Array.from({ length: 50 }, (_, i) => `l/stay-${i}`);
  for (const key of stay) await store.putIfAbsent(key, pieces(key));
  const change = async () => {
    for (let i = 0; i < 50; i += 1) {
      await store.putIfAbsent(`l/new-${i}`, pieces("new"));
      if (i % 2 === 0) await store.delete(`l/new-${i}`);
    }
  };
  const changing = change();
  for (let times = 0; times < 5; times += 1) {
    const listed = (await listOf(store, "l/")).filter((key) => key.startsWith("l/stay-"));
    assert.deepEqual(listed, [...stay].sort(), "a key that stays is listed once");
  }
  await changing;
};

const CHECKS: readonly Check[] = [
  returnsWhatWasPut,
  knowsNothingOfOthers,
  takesOddPieces,
  takesAllKeys,
  listsByPrefix,
  storesNothingOfAValueThatThrows,
  letsOneWin,
  showsNoHalfValue,
  letsALateOneLose,
  deletes,
  readsWholeOrThrows,
  listsWhileItChanges,
];
