import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TSX = ["node_modules/tsx/dist/cli.mjs", "--tsconfig", "tsconfig.dev.json"];

test("the example extracts in two processes, and commits without a further call of the vendor", async () => {
  const args = [...TSX, "examples/staging.ts", "2"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 50_000 });
  expect(stdout).toMatch(/^a-d: sealed, 800 accounts$/m);
  expect(stdout).toMatch(/: 104 calls of the vendor\.$/m);
  expect(stdout).toMatch(/^accounts: 5,200 records sent; changes: 5,200 added/m);
  expect(stdout).toMatch(/^104 calls after the commit\.$/m);
});
