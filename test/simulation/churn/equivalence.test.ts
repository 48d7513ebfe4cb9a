import { expect, test } from "vitest";
import { Installation } from "./installation.js";
import { ORGANISATIONS } from "./organisations.js";
import { Random } from "./random.js";
import { recordOf, sampleOf, shippedSample } from "./sample.js";

const consultancy = ORGANISATIONS.filter(({ name }) => name === "consultancy" || name === "law firm");
const populations = consultancy.flatMap((organisation) => [
  ...new Installation(organisation, new Random(1)).collections.values(),
]);

test.each(populations)("samples $collection as the SDK does", (population) => {
  const slots = [...population.alive.keys()].filter((slot) => population.alive[slot] === 1);
  const records = slots.map((slot) => recordOf(population, slot, population));
  expect(records.length).toBeGreaterThan(2);
  expect(sampleOf(population, population)).toEqual(shippedSample(population.collection, records));
});
