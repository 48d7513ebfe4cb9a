import { expect, test } from "vitest";
import { vendorFaults } from "../../../../src/testing/kit/faults/vendor-faults.js";
import { RECORDINGS } from "../recordings/index.js";
import { struckAnswers } from "./struck-answers.js";

const SEED = 7;
const NAMED = Object.entries(RECORDINGS);

test.each(NAMED)("no fault leaves a recording %s as it is", (_name, recording) => {
  const inert = vendorFaults(recording, SEED).filter((fault) => {
    const struck = fault.strike(recording);
    return struck !== undefined && struckAnswers(recording, struck).length === 0;
  });
  expect(inert.map(({ name }) => name)).toEqual([]);
});

test("each fault applies to some recording", () => {
  const [[, first] = []] = NAMED;
  const applying = NAMED.flatMap(([, recording]) =>
    vendorFaults(recording, SEED).filter((fault) => fault.strike(recording) !== undefined),
  ).map(({ name }) => name);
  const names = vendorFaults(first ?? [], SEED).map(({ name }) => name);
  expect(names.filter((name) => !applying.includes(name))).toEqual([]);
});

test("names are unique, and the same for each recording and seed", () => {
  const [names, ...others] = NAMED.flatMap(([, recording]) =>
    [1, 2].map((seed) => vendorFaults(recording, seed).map(({ name }) => name)),
  );
  expect(new Set(names).size).toBe(names?.length);
  for (const other of others) expect(other).toEqual(names);
});

test("a seed always strikes the same", () => {
  const recording = RECORDINGS["by token"];
  const strike = () =>
    vendorFaults(recording, SEED).map((fault) => {
      const struck = fault.strike(recording);
      return struck === undefined ? undefined : [fault.summary, struckAnswers(recording, struck)];
    });
  expect(strike()).toEqual(strike());
});
