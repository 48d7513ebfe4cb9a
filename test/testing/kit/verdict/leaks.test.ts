import { expect, test } from "vitest";
import { leaksOf } from "../../../../src/testing/kit/verdict/requests.js";
import { holding } from "../inspections.js";

const KEY = "key-0123456789";
const RUN = {
  outcome: "refused",
  error: undefined,
  effect: holding({}),
  hasSent: false,
  output: [],
  credentials: [KEY],
  requests: [],
  fired: 1,
  unhandled: [],
  records: new Map(),
} satisfies Parameters<typeof leaksOf>[0];

test("finds no credential where there is none", () => {
  expect(leaksOf({ ...RUN, error: new Error("401"), output: ["begun"] })).toEqual([]);
});

test.each([
  ["a message", { error: new Error(`refused ${KEY}`) }, "error."],
  [
    "a property deep inside, as of axios",
    { error: Object.assign(new Error("401"), { config: { headers: { Authorization: `Bearer ${KEY}` } } }) },
    "error.config.headers.Authorization",
  ],
  ["a cause", { error: new Error("401", { cause: { key: KEY } }) }, "error.cause.key"],
  ["a rejection that nobody handled", { unhandled: [new Error(KEY)] }, "error."],
  ["the output", { output: ["begun", `sent ${KEY}`] }, "what the run printed or logged"],
  ["a record", { effect: holding({ accounts: [["a1", { id: "a1", name: KEY }]] }) }, "records of accounts"],
])("finds one in %s", (_, run, place) => {
  const leaks = leaksOf({ ...RUN, ...run });
  expect(leaks).toHaveLength(1);
  expect(leaks[0]).toContain(`a credential is in ${place}`);
  expect(leaks[0]).not.toContain(KEY);
});
