/** The counts that the simulation keeps agree with what the shipped code counts of the same records. */
import { expect, test } from "vitest";
import { compareIds, tableOf } from "../../../src/sync/guard/comparison.js";
import { changedRecords } from "../../../src/sync/ids/snapshot-profile.js";
import { intermittent, join, turnover } from "./behaviours.js";
import { Population } from "./population.js";
import { Random } from "./random.js";

async function* linesOf(ids: readonly string[]) {
  yield Buffer.from(ids.map((id) => `${id}\n`).join(""));
}

test.each([1, 2, 3])("a population is compared as its ids are, seed %i", async (seed) => {
  const random = new Random(seed);
  const population = new Population();
  const behaviours = [turnover(40, 40), intermittent(20, 40)];
  join(population, 150, {}, random);
  for (let day = 0; day < 40; day += 1) {
    for (const behaviour of behaviours) behaviour(population, { day, elapsed: 1 }, random);
    if (day % 9 === 8) population.renew(30, random);
    const known = population.ids("known");
    const present = population.ids("present");
    expect(new Set(present).size).toBe(population.size);
    const ledger = { state: "completed" as const, lines: () => linesOf(known), past: async () => undefined };
    const compared = await compareIds(await tableOf(linesOf(present)), [ledger]);
    expect(population.compared).toEqual({ ...compared, firstGone: [] });
    if (random.chance(0.7)) population.commit();
  }
});

test("a population counts the fields of those who are present", () => {
  const random = new Random(4);
  const population = new Population();
  population.join(0b111);
  population.join(0b011 | (1 << 6) | (1 << 8));
  population.join(0b001);
  population.leave(2);
  expect(population.profile).toMatchObject({
    records: 2,
    filled: { name: 2, email: 2, department: 1, status: 2, mfa: 2, plan: 2 },
    choices: {
      status: { ACTIVE: 1, INACTIVE: 1 },
      mfa: { false: 1, true: 1 },
      plan: { BASIC: 2 },
    },
  });
  population.change(1, random, (traits) => traits & ~0b010);
  expect(population.profile.filled).not.toHaveProperty("email");
});

test("a population samples the same records in each run, and sees when both name and address change", () => {
  const random = new Random(5);
  const population = new Population();
  join(population, 500, {}, random);
  const { sample } = population.profile;
  population.leaveSome(50, random);
  join(population, 50, {}, random);
  const { kept, changed } = changedRecords(sample, population.profile.sample);
  expect(kept).toBeGreaterThan(25);
  expect(changed).toBe(0);
  population.migrateMail();
  expect(changedRecords(sample, population.profile.sample).changed).toBe(0);
  population.renameAll();
  expect(changedRecords(sample, population.profile.sample).changed).toBeGreaterThan(kept * 0.9);
});
