import { readFile } from "node:fs/promises";
import { fromCsv } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { previewOf } from "../support/connector.js";
import { heldBy, testService } from "../support/test-service.js";

const service = testService();

/** Forges a line, clears the screen in 7 and 8 bits, rings, reverses the reading direction, and hides text. */
const EVIL = "\nforged\r\u001b[2J\u009b2J\u0007\u202e\u2028\u200b\u{e0041}";

const STEERS = /(?!\n)\p{Cc}|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test("a preview escapes ids, file names and fields, and keeps each on one line", async () => {
  const rows = async (text: string, map: (row: Readonly<Record<string, string>>) => object) => {
    const path = await service.writeFile("users.csv", text);
    return previewOf(["accounts"], async (batch) => {
      // @ts-expect-error records that are not valid are what is shown here
      await batch.write("accounts", fromCsv(path, { map, name: `users${EVIL}.csv` }));
    });
  };
  const text = `id\n"x${EVIL}"\n"x${EVIL}"\n`;
  const previews = [
    await rows(text, ({ id }) => ({ id })),
    await rows(text, ({ id }) => ({ id, email: 1, [`field${EVIL}`]: 1 })),
  ];
  for (const preview of previews.map(String)) {
    expect(preview).toContain("\\u009b2J");
    expect(preview).not.toMatch(STEERS);
    expect(preview).not.toMatch(/^forged/m);
  }
});

test("the list of removals escapes ids, and the approval covers the real ids", async () => {
  const kept = ["a", "b"];
  const known = [
    ...kept,
    `x${EVIL}`,
    "back\\slash",
    "back\\\\u{1b}",
    "ada\u3164",
    ...Array.from({ length: 8 }, (_, i) => `n${i}`),
  ];
  await service.runAccounts(known);
  const error = await heldBy(service.runAccounts(kept));
  const [held] = error.reasons;
  const list = await readFile(held?.listedIn ?? "", "utf8");
  expect(list).toContain("x\\nforged\\u{d}\\u{1b}[2J\\u{9b}2J");
  expect(list).toContain("ada\\u{3164}");
  expect(list).not.toMatch(STEERS);
  expect(list).not.toMatch(/^forged/m);
  expect(error.message).not.toMatch(STEERS);
  await service.runAccounts(kept, { approve: error.approvalId });
  expect(service.present()).toEqual(kept);
});
