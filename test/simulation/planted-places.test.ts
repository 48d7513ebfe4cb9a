import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ENGINE_BUGS } from "./engine-bugs.js";
import { GRAPHQL_BUGS } from "./graphql/bugs.js";
import { ATTACK_BUGS, GUARD_BUGS } from "./guard-bugs.js";
import { RUN_BUGS } from "./run-bugs.js";
import { SOCKET_BUGS } from "./sockets/socket-bugs.js";

// Planting all bugs takes an hour; this checks that their places still exist.
test.each([...ENGINE_BUGS, ...RUN_BUGS, ...GUARD_BUGS, ...ATTACK_BUGS, ...GRAPHQL_BUGS, ...SOCKET_BUGS])(
  "the planted bug has its one place in src/$file: $name",
  async ({ file, right, wrong }) => {
    const code = await readFile(new URL(`../../src/${file}`, import.meta.url), "utf8");
    expect(code.split(right)).toHaveLength(2);
    expect(wrong).not.toBe(right);
  },
);

test.each(ATTACK_BUGS)(
  "an attack catches what the simulation does not: $name",
  async ({ attack, in: file }) => {
    const url = new URL(`../sync/safety/attacks/${file}.test.ts`, import.meta.url);
    expect(await readFile(url, "utf8")).toContain(attack);
  },
);
