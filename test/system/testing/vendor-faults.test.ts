import { expect, test } from "vitest";
import { testConnector } from "../../../src/testing/kit/test-connector.js";
import { vendorFaults } from "../../../src/testing/kit/verdict/rows.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { PLANTED } from "../../testing/kit/planted/index.js";
import { cassetteOf, RECORDINGS, type RecordingName } from "../../testing/kit/recordings/index.js";

const ROWS = ["no-fault", "unread-page", ...vendorFaults([], 1).map(({ name }) => name)];
const folder = temporaryFolder();

function cassetteFile(recording: RecordingName): Promise<string> {
  return folder.write(`${recording}.json`, cassetteOf(RECORDINGS[recording]));
}

const found = new Set<string>();

test.each(Object.entries(PLANTED))(
  "exactly one row of the report finds the connector that %s",
  async (_, { connector, recording, guard }) => {
    const { faults } = await testConnector(connector, { cassette: await cassetteFile(recording), guard });
    const wrong = faults.filter(({ verdict }) => verdict === "WRONG").map(({ fault }) => fault);
    expect(wrong).toHaveLength(1);
    for (const row of wrong) found.add(row);
  },
);

test("each row finds a connector", () => {
  expect(ROWS.filter((row) => !found.has(row))).toEqual([]);
});
