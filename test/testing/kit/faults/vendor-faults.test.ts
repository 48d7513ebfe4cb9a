import { expect, test } from "vitest";
import { vendorFaults } from "../../../../src/testing/kit/verdict/rows.js";
import { RECORDINGS } from "../recordings/index.js";

const SEED = 7;
const ALL = Object.values(RECORDINGS);

test("names are unique and don't depend on the recording or the seed", () => {
  const named = [1, 2].flatMap((seed) =>
    ALL.map((recording) => vendorFaults(recording, seed).map(({ name }) => name)),
  );
  expect(new Set(named[0]).size).toBe(named[0]?.length);
  for (const names of named) expect(names).toEqual(named[0]);
});

test("a seed always chooses the same faults", () => {
  const inject = () => {
    const recording = RECORDINGS["by token"];
    return vendorFaults(recording, SEED).map((fault) => [
      fault.summary,
      JSON.stringify(fault.inject(recording)),
    ]);
  };
  expect(inject()).toEqual(inject());
});
