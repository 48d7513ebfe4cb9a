import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsumerFolder, makeConsumerFolder, runNode } from "./packed-package.js";

const VITEST = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));

let folder: ConsumerFolder;
let app: string;
beforeAll(async () => {
  folder = await makeConsumerFolder();
  app = await folder.add("kit");
}, 300_000);
afterAll(() => folder.remove());

/** The matrix of consumers runs the same files with Jest. */
const RUNNERS = {
  vitest: (file: string, only?: string) => [
    VITEST,
    "run",
    "--root=.",
    "--config=vitest.config.js",
    "--reporter=verbose",
    "--testTimeout=60000",
    ...(only === undefined ? [] : [`--testNamePattern=${only}`]),
    file,
  ],
  "node:test": (file: string, only?: string) => [
    "--test",
    "--test-reporter=spec",
    ...(only === undefined ? [] : [`--test-name-pattern=${only}`]),
    file,
  ],
} as const;

describe.each(Object.entries(RUNNERS))("connectorTests in %s", (_, args) => {
  test("has a test for each fault, fails for a broken connector, and says why", async () => {
    const failed = await runNode(args("broken.test.js"), app, CLEAN_ENV).catch(String);
    for (const fault of ["status-500-last", "status-404-last"]) expect(failed).toContain(fault);
    expect(failed).toContain('WRONG: lost 3 of 23 usage ("login-u-21"');
    expect(failed).toContain("pageToken=token-3 answered 404");
    expect(failed).toMatch(/last-page-lost.*not run: neither a total nor the guard shows that 3 of 23 items/);
  });

  test("passes if the connector withstands the faults selected by name in the runner", async () => {
    await runNode(args("broken.test.js", "status-500-last"), app, CLEAN_ENV);
  });
});

/** With this test's environment, the new runner would believe that it is a child of the current runner. */
const CLEAN_ENV = {
  VITEST: "",
  VITEST_WORKER_ID: "",
  VITEST_POOL_ID: "",
  NODE_OPTIONS: "",
};
