import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { generateFiles } from "../../examples/data/generate.js";
import { DATA } from "./raw-data.js";

const generated = generateFiles();

describe("the committed CSV files", () => {
  test.each([...generated])("%s is what the generator makes, byte for byte", async (name, content) => {
    const committed = await readFile(new URL(name, DATA));
    expect(committed.equals(Buffer.from(content)), "run: npx tsx examples/data/generate.ts").toBe(true);
  });

  test("are all made by the generator", async () => {
    const committed = (await readdir(DATA)).filter((name) => name.endsWith(".csv"));
    expect(committed.sort()).toEqual([...generated.keys()].sort());
  });

  test("are small enough to live in a repository", () => {
    const bytes = [...generated.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    expect(bytes).toBeLessThan(2_500_000);
  });

  test("come out the same when they are generated again in one process", () => {
    expect(generateFiles()).toEqual(generated);
  });
});
