/** Rules about calls that overlap. */
import {
  bytesOf,
  must,
  PausedValue,
  piecesOf,
  type StoreRules,
  type TestedStore,
  toArray,
} from "./tested-store.js";

const MEBIBYTE = 1024 * 1024;
/** More than a pool has connections. */
const UNFINISHED = 16;

export const CONCURRENCY_RULES: StoreRules = {
  "one of several calls with one key stores its value": async (store) => {
    for (const [name, count, length] of [
      ["small", 20, 1000],
      ["large", 4, 2 * MEBIBYTE + 1],
    ] as const) {
      const values = Array.from({ length: count }, (_, i) => bytesOf(length, i));
      const stored = await Promise.all(values.map((value) => store.put(name, halvesOf(value))));
      const winners = values.filter((_, i) => stored[i]);
      must(winners.length === 1, `putIfAbsent returned true ${winners.length} times for one key.`);
      for (const winner of winners) await store.mustRead(name, winner);
      await store.mustList(name, [name]);
    }
    const names = Array.from({ length: 20 }, (_, i) => `other-${i}`);
    const others = await Promise.all(names.map((name) => store.put(name, name)));
    must(!others.includes(false), "putIfAbsent returned false for one of several new keys.");
  },
  "nobody sees a value before its end": async (store) => {
    for (const first of [Buffer.from("first"), bytesOf(3 * MEBIBYTE)]) {
      const value = new PausedValue(first);
      const name = `key-${first.length}`;
      const { stored } = await beginPut(store, name, value);
      await store.mustLack(name, "before its value had ended");
      await store.mustList("", []);
      value.goOn();
      must(await stored, "putIfAbsent returned false.");
      await store.mustRead(name, value.whole);
      await store.delete(name);
    }
  },
  "the first value that ends is stored, and a later one is not": async (store) => {
    for (const first of [Buffer.from("first"), bytesOf(3 * MEBIBYTE)]) {
      const value = new PausedValue(first);
      const name = `key-${first.length}`;
      const { stored } = await beginPut(store, name, value);
      must(
        await store.put(name, "early"),
        "putIfAbsent waited, or returned false, because of an unfinished value.",
      );
      value.goOn();
      must(!(await stored), "putIfAbsent returned true for the later value.");
      await store.mustRead(name, "early");
    }
  },
  "an unfinished value holds up no other call": async (store) => {
    const values = Array.from({ length: UNFINISHED }, (_, i) => new PausedValue(bytesOf(MEBIBYTE + i, i)));
    const puts = await Promise.all(values.map((value, i) => beginPut(store, `slow-${i}`, value)));
    must(await store.put("other", "other"), "putIfAbsent of another key returned false.");
    await store.mustRead("other", "other");
    await store.mustList("", ["other"]);
    await store.delete("other");
    await store.mustLack("other", "after it was deleted");
    for (const value of values.toReversed()) value.goOn();
    must(
      !(await Promise.all(puts.map(({ stored }) => stored))).includes(false),
      "putIfAbsent returned false.",
    );
    for (const [i, value] of values.entries()) await store.mustRead(`slow-${i}`, value.whole);
  },
  "a value that is deleted while it is read ends whole or throws": async (store) => {
    const whole = bytesOf(4 * MEBIBYTE);
    await store.put("key", piecesOf(whole));
    const value = (await store.get("key")) ?? piecesOf();
    let isDeleted = false;
    const deleting = async function* () {
      for await (const piece of value) {
        if (!isDeleted) await store.delete("key");
        isDeleted = true;
        yield piece;
      }
    };
    const outcome = await toArray(deleting()).then(Buffer.concat, () => "threw" as const);
    must(outcome === "threw" || outcome.equals(whole), "A reader got a part, without an error.");
  },
  "a value that is read slowly, or not to its end, holds up no other call": async (store) => {
    const whole = bytesOf(3 * MEBIBYTE);
    await store.put("key", piecesOf(whole));
    const readers: AsyncIterator<Uint8Array>[] = [];
    for (let i = 0; i < UNFINISHED; i += 1) {
      const value = (await store.get("key")) ?? piecesOf();
      const reader = value[Symbol.asyncIterator]();
      const { done } = await reader.next();
      must(done !== true, "get returned an empty value.");
      readers.push(reader);
    }
    await store.mustRead("key", whole);
    must(await store.put("other", "other"), "putIfAbsent of another key returned false.");
    for (const reader of readers) await reader.return?.();
  },
};

function halvesOf(value: Uint8Array): AsyncIterable<Uint8Array> {
  const half = value.length >> 1;
  return piecesOf(value.subarray(0, half), value.subarray(half));
}

/** Puts a value until it pauses, or until the store gives it up. */
async function beginPut(store: TestedStore, name: string, value: PausedValue) {
  const stored = store.put(name, value.pieces());
  // It may fail after the rule was found broken.
  stored.catch(() => {});
  await Promise.race([value.paused, stored]);
  return { stored };
}
