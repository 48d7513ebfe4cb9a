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

/** The rows that find each planted connector. */
const finding = new Map<string, readonly string[]>();

test.each(Object.entries(PLANTED))(
  "a row of the report finds the connector that %s",
  async (name, planted) => {
    const { connector, recording, guard } = planted;
    const { faults } = await testConnector(connector, { cassette: await cassetteFile(recording), guard });
    const found = faults.filter(({ verdict }) => verdict === "WRONG").map(({ fault }) => fault);
    finding.set(name, found);
    expect(found).not.toEqual([]);
  },
);

test("each row finds a connector that no other row finds", () => {
  const alone = [...finding.values()].filter(({ length }) => length === 1).flat();
  expect(ROWS.filter((row) => !alone.includes(row))).toEqual([]);
  expect(finding.size).toBeGreaterThan(ROWS.length);
});
