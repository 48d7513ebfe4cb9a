/** A small part of `npm run simulate:guard`, whose figures are the same on every machine. */
import { expect, test } from "vitest";
import { ORGANISATIONS } from "./organisations.js";
import { simulateChurn } from "./simulate.js";

const NAMES = ["three founders", "shops", "charity", "vendor with other labels"];

test("holds no correct run, and misses few disasters", () => {
  const organisations = ORGANISATIONS.filter(({ name }) => NAMES.includes(name));
  expect(organisations).toHaveLength(NAMES.length);
  const tally = simulateChurn({ seed: 18, lives: 1, organisations });
  expect({
    falseHolds: tally.sumOf("falseHolds"),
    approvals: tally.sumOf("approvals"),
    ids: [tally.sumOfDisasters("missed", "ids", [50, 10]), tally.sumOfDisasters("visible", "ids", [50, 10])],
    fields: [
      tally.sumOfDisasters("missed", "fields", [50, 10]),
      tally.sumOfDisasters("visible", "fields", [50, 10]),
    ],
  }).toEqual({ falseHolds: 0, approvals: 7, ids: [30, 274], fields: [72, 758] });
});
