/** The same test files run in vitest, jest and node:test. An app imports `test` from its runner. */
const { VITEST_WORKER_ID, JEST_WORKER_ID } = process.env;
const runner = VITEST_WORKER_ID ? "vitest" : JEST_WORKER_ID ? "@jest/globals" : "node:test";

export const { test } = await import(runner);
