/** Rules about single values. */
import { bytesOf, must, piecesOf, type StoreRules } from "./tested-store.js";

const MEBIBYTE = 1024 * 1024;

export const VALUE_RULES: StoreRules = {
  "get returns what putIfAbsent stored, as often as it is asked": async (store) => {
    must(await store.put("value", "a value"), "putIfAbsent returned false for a new key.");
    await store.mustRead("value", "a value");
    await store.mustRead("value", "a value");
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await store.put("bytes", piecesOf(bytes));
    await store.mustRead("bytes", bytes);
  },
  "a key keeps its first value": async (store) => {
    await store.put("key", "first");
    must(!(await store.put("key", "other")), "putIfAbsent returned true for a key that had a value.");
    await store.mustRead("key", "first");
    must(
      !(await store.put("key", piecesOf(bytesOf(3 * MEBIBYTE)))),
      "A large value was put over another one.",
    );
    await store.mustRead("key", "first");
    await store.mustList("", ["key"]);
  },
  "a key without a value is not an error": async (store) => {
    await store.mustLack("none", "for a key that was never put");
    await store.mustList("none/", []);
    await store.delete("none");
  },
  "an empty value is a value": async (store) => {
    must(await store.put("no-pieces", piecesOf()), "putIfAbsent returned false.");
    must(await store.put("empty-piece", piecesOf("")), "putIfAbsent returned false.");
    for (const name of ["no-pieces", "empty-piece"]) await store.mustRead(name, "");
    must(
      !(await store.put("no-pieces", "other")),
      "putIfAbsent returned true for a key with an empty value.",
    );
    await store.mustList("", ["empty-piece", "no-pieces"]);
  },
  "a value has pieces of any size, which may share one buffer": async (store) => {
    const buffer = Buffer.alloc(10);
    const reused = async function* () {
      for (const letter of "abc") yield buffer.fill(letter).subarray(2, 5);
      buffer.fill("x");
    };
    await store.put("reused", reused());
    await store.mustRead("reused", "aaabbbccc");
    await store.put("gaps", piecesOf("", "a", "", "", "b", ""));
    await store.mustRead("gaps", "ab");
    const whole = bytesOf(1000);
    await store.put("bytes", piecesOf(...Array.from(whole, (byte) => Uint8Array.of(byte))));
    await store.mustRead("bytes", whole);
  },
  "a value of many megabytes is stored as it is": async (store) => {
    const whole = bytesOf(10 * MEBIBYTE + 7);
    const lengths = [1, MEBIBYTE - 1, MEBIBYTE, 1, 70_001, 3 * MEBIBYTE + 1, 0, 262_144, 4095, whole.length];
    const odd = function* () {
      let from = 0;
      for (const length of lengths) {
        yield whole.subarray(from, from + length);
        from += length;
      }
    };
    const buffer = Buffer.alloc(whole.length);
    const reused = async function* () {
      for (const piece of odd()) {
        buffer.set(piece);
        yield buffer.subarray(0, piece.length);
      }
    };
    must(await store.put("big", reused()), "putIfAbsent returned false.");
    await store.mustRead("big", whole);
    // Lengths around those that stores cut values at.
    for (const length of [262_144, 5 * MEBIBYTE, MEBIBYTE]) {
      await store.put(`exactly-${length}`, piecesOf(whole.subarray(0, length)));
      await store.mustRead(`exactly-${length}`, whole.subarray(0, length));
    }
  },
  "a value that throws stores nothing and makes putIfAbsent throw": async (store) => {
    for (const [name, first] of [
      ["none", new Uint8Array()],
      ["small", Buffer.from("a part")],
      ["large", bytesOf(3 * MEBIBYTE)],
    ] as const) {
      const failing = async function* () {
        if (first.length > 0) yield first;
        throw new Error("The value throws on purpose.");
      };
      const returned = await store.put(name, failing()).then(
        () => true,
        () => false,
      );
      must(!returned, "putIfAbsent returned.");
      await store.mustLack(name, "though its value threw");
      must(await store.put(name, "whole"), "The key could not be put afterwards.");
      await store.mustRead(name, "whole");
    }
  },
  "delete deletes one value, and its key can be put again": async (store) => {
    const large = bytesOf(3 * MEBIBYTE);
    await store.put("key", piecesOf(large));
    await store.put("key2", "another");
    // A reader that leaves early keeps nothing from being deleted.
    for await (const _ of (await store.get("key")) ?? piecesOf()) break;
    for (const value of [Buffer.from("short"), bytesOf(2 * MEBIBYTE + 1, 2), new Uint8Array()]) {
      await store.delete("key");
      await store.mustLack("key", "after it was deleted");
      await store.delete("key");
      must(await store.put("key", piecesOf(value)), "putIfAbsent returned false after the key was deleted.");
      await store.mustRead("key", value);
    }
    await store.mustRead("key2", "another");
  },
};
