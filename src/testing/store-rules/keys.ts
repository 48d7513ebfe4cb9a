/** Rules about keys and lists. */
import { must, type StoreRules } from "./tested-store.js";

/** Of a whole key. */
const LONGEST = 200;
/** More than stores list at a time. */
const MANY = 1100;
const AT_ONCE = 50;

export const KEY_RULES: StoreRules = {
  "list returns the keys that start with a prefix, and no others": async (store) => {
    const names = [
      "a/b",
      "a/b.c",
      "a/bc",
      "a/c",
      "a/d/e",
      "ab",
      "b/a",
      "c_d/e_f",
      "cxd/e_f",
      "c_d/exf",
      "c-d",
      "c.d",
    ];
    for (const name of names) await store.put(name, name);
    const lists = ["", "a", "a/", "a/b", "a/b.", "a/d/", "c_", "c_d/e_", "c.", "c-", "b/a", "d", "%", "_"];
    for (const prefix of lists) {
      const expected = names.filter((name) => name.startsWith(prefix));
      await store.mustList(prefix, expected);
    }
  },
  "keys have the characters a-z, 0-9, ., _, - and / and up to 200 of them": async (store) => {
    const part = "0123456789-abcdefghijklmnopqrstuvwxyz_";
    const long = `${part}.${part}/${part}.`.padEnd(LONGEST - store.folder.length - 1, "k");
    const names = ["a", "0", part, "a.b/c-d/e_f", `${long}x`, `${long}y`];
    for (const name of names) must(await store.put(name, name), `putIfAbsent returned false for ${name}.`);
    for (const name of names) await store.mustRead(name, name);
    await store.mustList("", names);
    await store.delete(`${long}x`);
    await store.mustList("", names.toSpliced(4, 1));
  },
  "list returns all keys, however many there are, each once": async (store) => {
    const names = Array.from({ length: MANY }, (_, i) => `many/${i.toString(36).padStart(3, "0")}`);
    const left = [...names];
    while (left.length > 0) await Promise.all(left.splice(0, AT_ONCE).map((name) => store.put(name, name)));
    await store.mustList("many/", names);
    await store.mustList(
      "many/0",
      names.filter((name) => name.startsWith("many/0")),
    );
    await store.mustRead("many/0a0", "many/0a0");
  },
  "list returns a key once that is there all the time, while others come and go": async (store) => {
    const stay = Array.from({ length: 50 }, (_, i) => `stay-${i}`);
    for (const name of stay) await store.put(name, name);
    const change = async () => {
      for (let i = 0; i < 50; i += 1) {
        await store.put(`new-${i}`, "new");
        if (i % 2 === 0) await store.delete(`new-${i}`);
      }
    };
    const list = async () => {
      for (let times = 0; times < 5; times += 1) {
        await store.mustList("stay-", stay);
        const all = await store.list("");
        const found = all.filter((name) => name.startsWith("stay-"));
        must(found.length === stay.length, `list returned ${found.length} keys of ${stay.length} that stay.`);
        must(new Set(all).size === all.length, "list returned a key twice.");
      }
    };
    await Promise.all([change(), list()]);
  },
};
