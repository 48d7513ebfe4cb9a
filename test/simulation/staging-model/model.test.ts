/** The parts of `npm run check:staging` that take no time. */
import { expect, test } from "vitest";
import { ABLATIONS, CASES } from "./cases.js";
import { SMALL } from "./commit/configurations.js";
import { commitModel } from "./commit/model.js";
import { search } from "./search.js";

const FAST = ["COMMIT, 1 committer", "APPROVAL", "COMMIT 9, pages", "COMMIT 9, statement"];

test.each(CASES.filter(({ name }) => FAST.some((fast) => name.startsWith(fast))))(
  "keeps the promises of staged runs: $name",
  ({ model }) => {
    const { states, violations, isWhole } = search(model());
    expect(violations).toEqual([]);
    expect(isWhole).toBe(true);
    expect(states).toBeGreaterThan(30);
  },
);

/** Those that need several committers or runs take seconds, and so does everything that must have no violation. */
const SLOW = /^COMMIT (2|3|5[adef]|7 batch|9 sequence)|^PLAIN|^EXTRACT (fate|replace)/;

test.each(ABLATIONS.filter(({ name }) => !SLOW.test(name)))("needs the rule $name", ({ model }) => {
  expect(search(model()).violations).toHaveLength(1);
});

test("returns a shortest trace, from the first step to the violation", () => {
  const model = commitModel({ ...SMALL["1 committer"], without: ["COMMIT 7 first"] });
  const [violation] = search(model).violations;
  expect(violation?.what).toBe("the ledger does not know the service's last snapshot");
  expect(violation?.trace).toHaveLength(11);
  expect(violation?.trace[0]).toBe("A (run 1, batch 1) finds no receipt");
  expect(violation?.trace.at(-1)).toBe("A (run 1, batch 1) : the service gets the completion");
});

test("ends at the limit of states, and says so", () => {
  const { states, isWhole } = search(commitModel(SMALL["1 committer"]), { maxStates: 100 });
  expect(isWhole).toBe(false);
  expect(states).toBeLessThan(120);
});
