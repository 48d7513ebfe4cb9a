import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { fileStaging } from "../../../src/sync/staging/staging.js";
import { blocksOf, directory, filesIn, stage } from "../../support/staged.js";
import { startScript } from "./run-process.js";
import { PLAN, stagedRecords } from "./staged-plan.js";

/** Extracts in another process that is killed at a step. Returns its exit code or signal, and what it printed. */
async function extractIn(root: string, killAt: number) {
  const child = startScript("staged-script.ts", [root, String(killAt)]);
  const printed = text(child.stdout);
  const [code, signal] = await once(child, "close");
  return { ended: signal ?? code, printed: await printed };
}

async function bytesIn(root: string): Promise<Buffer> {
  return Buffer.concat(await blocksOf(await stage(fileStaging(root), PLAN)));
}

test("a partition is sealed wholly or not at all, wherever its process is killed", {
  timeout: 300_000,
}, async () => {
  const whole = directory();
  const { ended, printed } = await extractIn(whole, 0);
  expect(ended).toBe(0);
  const expected = await bytesIn(whole);
  const steps = Number(printed);
  expect(steps).toBeGreaterThan(20);
  const seen = new Set<string>();
  for (let killAt = 1; killAt <= steps; killAt += 2) {
    const root = directory();
    expect((await extractIn(root, killAt)).ended).toBe("SIGKILL");
    const run = await stage(fileStaging(root), PLAN);
    const [{ state } = { state: "missing" }] = await run.status();
    seen.add(state);
    if (state !== "sealed") await run.extract("accounts", "all", stagedRecords());
    expect(await bytesIn(root), `killed at step ${killAt}`).toEqual(expected);
    await run.discard();
    expect([...(await filesIn(root)).keys()].filter((name) => /\/[sx]\//.test(name))).toEqual([]);
  }
  expect(seen).toEqual(new Set(["missing", "extracting", "sealed"]));
});
