import { expect, test } from "vitest";
import type { FaultResult } from "../../../src/testing/kit/report.js";
import { connectorReport } from "../../../src/testing/kit/report.js";

const faults: readonly FaultResult[] = [
  { fault: "page-2-500", summary: "page 2 answers 500 once", verdict: "same", fired: 1 },
  {
    fault: "last-page-lost",
    summary: "the page before the last one has no next token",
    verdict: "WRONG",
    fired: 1,
    cause: 'removed 3 of 30 accounts ("a7", "a8", "a9"); cause: GET /users?page=2 lost its next token',
  },
  {
    fault: "reset",
    summary: "the connection is reset",
    verdict: "refused",
    fired: 4,
    error: "a\nb".repeat(300),
  },
  { fault: "no-fault", summary: "two runs have the same effect", verdict: "same", fired: 0 },
];
const report = connectorReport({
  seed: 7,
  source: "Faults change the largest listing: GET /users, 30 items on 3 pages; few change GET /groups.",
  faults,
  neverSeen: ["held"],
  notRun: [
    { fault: "slow-page", reason: "runs without a fault differ" },
    { fault: "cut-once", reason: "runs without a fault differ" },
  ],
});

test("prints a row per fault, the counts, and what never happened or did not run", () => {
  expect(
    `${report}`.split("\n").filter((line) => !line.includes("abab") && !line.includes("b…")),
  ).toMatchInlineSnapshot(`
    [
      "same     page-2-500      page 2 answers 500 once",
      "WRONG    last-page-lost  the page before the last one has no next token",
      "           removed 3 of 30 accounts ("a7", "a8", "a9"); cause: GET /users?page=2 lost its next token",
      "refused  reset           the connection is reset",
      "           a ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba",
      "           ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba",
      "           ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba",
      "           ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba ba  …",
      "same     no-fault        two runs have the same effect",
      "",
      "3 faults: 1 same, 0 held, 1 refused, 1 WRONG. Seed 7.",
      "Faults change the largest listing: GET /users, 30 items on 3 pages; few change GET /groups.",
      "No run was held.",
      "Not run (runs without a fault differ): slow-page, cut-once.",
      "To run one again: only: ["last-page-lost"], seed: 7.",
    ]
  `);
});
