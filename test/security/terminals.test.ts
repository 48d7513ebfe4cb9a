import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fromCsv } from "@saas-management/sdk/sources";
import { formatPreview, previewSync } from "@saas-management/sdk/sync";
import { expect, it } from "vitest";
import { heldBy, useSafetyHarness } from "../support/safety-harness.js";

const CLI = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const harness = useSafetyHarness();

/**
 * What forges a line, clears the screen in seven and in eight bits, rings, turns the direction of reading, begins
 * another line, and hides.
 */
const EVIL = "\nforged\r\u001b[2J\u009b2J\u0007\u202e\u2028\u200b\u{e0041}";

/** Letters that have no shape and are no format characters: two ids with and without them look the same. */
const INVISIBLE = "\u3164\u115f\uffa0\ufe00\u{e0100}\u034f\u17b4\u180b";
const STEERS = /(?!\n)\p{Cc}|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

it("a preview shows ids, names of files and fields with escapes, each on its one line", async () => {
  const rows = async (text: string, map: (row: Readonly<Record<string, string>>) => object) => {
    const path = join(harness.directory, "users.csv");
    await writeFile(path, text);
    return previewSync({ ledger: "none", snapshots: ["accounts"] }, async (batch) => {
      // @ts-expect-error records that are not valid are what is shown here
      await batch.write("accounts", fromCsv(path, map, { name: `users${EVIL}.csv` }));
    });
  };
  const text = `id\n"x${EVIL}"\n"x${EVIL}"\n`;
  const previews = [
    await rows(text, ({ id }) => ({ generic: { id } })),
    await rows(text, ({ id }) => ({ generic: { id, email: 1, [`field${EVIL}`]: 1 } })),
  ];
  for (const preview of previews.map(formatPreview)) {
    expect(preview).toContain("\\u009b2J");
    expect(preview).not.toMatch(STEERS);
    expect(preview).not.toMatch(/^forged/m);
  }
});

it("the list of what would be removed shows ids with escapes, and they are approved of as what they are", async () => {
  const kept = ["a", "b"];
  const known = [
    ...kept,
    `x${EVIL}`,
    "back\\slash",
    "back\\\\u{1b}",
    "ada\u3164",
    ...Array.from({ length: 8 }, (_, i) => `n${i}`),
  ];
  await harness.accounts(known);
  const error = await heldBy(harness.accounts(kept));
  const [held] = error.collections;
  const list = await readFile(held?.listedIn ?? "", "utf8");
  expect(list).toContain("x\\nforged\\u{d}\\u{1b}[2J\\u{9b}2J");
  expect(list).toContain("ada\\u{3164}");
  expect(list).not.toMatch(STEERS);
  expect(list).not.toMatch(/^forged/m);
  expect(error.message).not.toMatch(STEERS);
  await harness.accounts(kept, { approveRemovals: error.approvalId });
  expect(harness.present()).toEqual(kept);
});

it("the command line names a file that it cannot read with escapes, on one line", async () => {
  const path = join(harness.directory, `portfolio${EVIL}${INVISIBLE}.json`);
  const run = promisify(execFile)(process.execPath, ["--import=tsx", CLI, "serve", "--portfolio", path]);
  const stderr = await run.then(
    () => "",
    (error: unknown) => (error instanceof Error && "stderr" in error ? String(error.stderr) : ""),
  );
  expect(stderr).toContain("portfolio\\u000aforged\\u000d\\u001b");
  expect(stderr).toContain("\\u3164\\u115f\\uffa0\\ufe00\\u{e0100}\\u034f\\u17b4\\u180b");
  expect(stderr).not.toMatch(STEERS);
  expect(stderr).not.toMatch(/^forged/m);
}, 60_000);
