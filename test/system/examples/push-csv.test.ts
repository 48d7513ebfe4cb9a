import { expect, test } from "vitest";
import { connector } from "../../../examples/push-csv.mjs";
import { testService } from "../../support/test-service.js";
import { expectWithstands } from "./kit.js";

const service = testService();

test("pushes accounts, plans and licenses of one CSV file", async () => {
  await service.run(connector.snapshots, connector.run);
  const { accounts, plans, licenses } = service.inspect().snapshots;
  expect(accounts).toHaveLength(40);
  expect(accounts[0]?.record).toEqual({
    id: "1000",
    name: "Mareike Schröder",
    email: "mareike.schroder@polarvik.example",
    active: true,
  });
  expect(plans.map(({ id }) => id)).toEqual(["Team", "Business", "Gast"]);
  expect(licenses).toHaveLength(37);
  expect(licenses.filter(({ record }) => !record.billable).length).toBeGreaterThan(5);
});

test("withstands every fault of its source", () => expectWithstands(connector, 10));
