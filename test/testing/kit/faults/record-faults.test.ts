import type { Connector, RecordOf } from "@saas-management/sdk";
import { type KitOptions, testConnector } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { RECORD_FAULTS } from "../../../../src/testing/kit/faults/record-faults.js";
import { connectorOf } from "../../../support/connector.js";
import { NO_RULES } from "../planted/vendor.js";

const COUNT = 30;

async function* rows(): AsyncGenerator<RecordOf<"accounts">[]> {
  for (let row = 0; row < COUNT; row += 10)
    yield Array.from({ length: 10 }, (_, index) => {
      const number = row + index;
      return {
        id: `u-${number}`,
        name: `Person ${number}`,
        email: `person.${number}@example.com`,
        active: number % 5 !== 0,
      };
    });
}

const table = connectorOf(["accounts"], async (batch) => {
  await batch.write("accounts", rows());
  await batch.write("usage", [
    { id: "login-1", sourceActorId: "u-1", lastActivity: "2026-05-01T08:00:00Z" },
    { id: "login-2", sourceActorId: "u-2", lastActivity: "2026-05-01T08:00:00Z" },
  ]);
});

/** Faults that don't apply here, because accounts have no numbers and these ids contain letters. */
const IDLE = ["number-becomes-string", "ids-of-other-type"];
const only = RECORD_FAULTS.map(({ name }) => name).filter((name) => !IDLE.includes(name));

async function verdicts(connector: Connector<"accounts">, options: KitOptions = { only }) {
  const { faults, notRun } = await testConnector(connector, options);
  expect(notRun).toEqual([]);
  return faults.filter(({ verdict }) => verdict === "WRONG").map(({ fault }) => fault);
}

test("a connector that reads a table to its end is never WRONG, and each fault changes it", async () => {
  expect(await verdicts(table)).toEqual([]);
}, 60_000);

/** The ids that runs have read; lives as long as the process. */
const exported = new Set<string>();

const resuming = connectorOf(["accounts"], async (batch) => {
  await batch.write("accounts", unexported());
  await batch.write("usage", [
    { id: "login-1", sourceActorId: "u-1", lastActivity: "2026-05-01T08:00:00Z" },
    { id: "login-2", sourceActorId: "u-2", lastActivity: "2026-05-01T08:00:00Z" },
  ]);
  exported.clear();
});

async function* unexported(): AsyncGenerator<RecordOf<"accounts">[]> {
  for await (const block of rows()) {
    const left = block.filter(({ id }) => !exported.has(id));
    for (const { id } of left) exported.add(id);
    yield left;
  }
}

test("each fault makes a connector WRONG: an unguarded one if it changes records, otherwise one that resumes", async () => {
  const wrong = await verdicts(table, { only, guard: NO_RULES });
  for (const fault of only.filter((name) => !wrong.includes(name))) {
    exported.clear();
    expect(await verdicts(resuming, { only: [fault] })).toEqual([fault]);
  }
}, 60_000);
