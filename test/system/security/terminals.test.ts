import { execFile } from "node:child_process";

import { promisify } from "node:util";
import { expect, test } from "vitest";
import { CLI } from "../../support/cli.js";

const EVIL = "\nforged\r\u001b[2J\u009b2J\u0007\u202e\u2028\u200b\u{e0041}";
/** Letters without a shape that don't count as format characters. */
const INVISIBLE = "\u3164\u115f\uffa0\ufe00\u{e0100}\u034f\u17b4\u180b";
const STEERS = /(?!\n)\p{Cc}|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test("the command line escapes the name of a file that it cannot read", async () => {
  const path = `/nowhere/certificate${EVIL}${INVISIBLE}.pem`;
  const run = promisify(execFile)(process.execPath, [CLI, "serve", "--tls-cert", path, "--tls-key", path]);
  const error: unknown = await run.catch((reason: unknown) => reason);
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  expect(stderr).toContain("certificate\\u000aforged\\u000d\\u001b");
  expect(stderr).toContain("\\u3164\\u115f\\uffa0\\ufe00\\u{e0100}\\u034f\\u17b4\\u180b");
  expect(stderr).not.toMatch(STEERS);
  expect(stderr).not.toMatch(/^forged/m);
});
