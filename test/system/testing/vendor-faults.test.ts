import { expect, test } from "vitest";
import { testConnector } from "../../../src/testing/kit/test-connector.js";
import { vendorFaults } from "../../../src/testing/kit/verdict/rows.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { PLANTED } from "../../testing/kit/planted/index.js";
import { cassetteOf, RECORDINGS } from "../../testing/kit/recordings/index.js";

const folder = temporaryFolder();

const recordings = new Set<string>();
/** The first connector of each recording runs all rows; any other runs only the row that finds its mistake. */
const CASES = Object.entries(PLANTED).map(([name, { recording, ...planted }]) => {
  const [row = "", mistake = ""] = name.split(": ");
  const isFirst = recordings.size < recordings.add(recording).size;
  return { row, mistake, recording, only: isFirst ? undefined : [row], ...planted };
});

test.each(CASES)(
  "the row $row finds the connector that $mistake",
  async ({ row, recording, connector, guard, only }) => {
    const cassette = await folder.write(`${recording}.json`, cassetteOf(RECORDINGS[recording]));
    const { faults } = await testConnector(connector, { cassette, guard, only });
    expect(faults.filter(({ verdict }) => verdict === "WRONG").map(({ fault }) => fault)).toEqual([row]);
  },
);

test("every row has exactly one planted connector", () => {
  const rows = ["no-fault", "unread-page", ...vendorFaults([], 1).map(({ name }) => name)];
  expect(CASES.map(({ row }) => row).sort()).toEqual(rows.sort());
});
