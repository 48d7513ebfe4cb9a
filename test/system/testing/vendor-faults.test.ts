import { expect, test } from "vitest";
import { vendorFaults } from "../../../src/testing/kit/faults/vendor-faults.js";
import { testConnector } from "../../../src/testing/kit/test-connector.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { cassetteOf } from "../../testing/kit/cassettes.js";
import { GOOD } from "../../testing/kit/good/connectors.js";
import { PLANTED } from "../../testing/kit/planted/planted.js";
import { RECORDINGS } from "../../testing/kit/recordings/index.js";

const NAMES = vendorFaults(RECORDINGS["by token"], 1).map(({ name }) => name);
const folder = temporaryFolder();

function cassetteFile(recording: keyof typeof RECORDINGS): Promise<string> {
  return folder.write(`${recording}.json`, cassetteOf(RECORDINGS[recording]));
}

test.each(Object.entries(PLANTED))("faults find the connector that %s", async (_name, planted) => {
  const { connector, recording, guard, faults: only } = planted;
  const report = await testConnector(connector, { cassette: await cassetteFile(recording), guard, only });
  const found = report.faults.filter(({ verdict }) => verdict === "WRONG").map(({ fault }) => fault);
  expect(found.sort()).toEqual([...only].sort());
});

test("each fault of the catalogue finds a planted connector", () => {
  const finding = Object.values(PLANTED).flatMap(({ faults }) => faults);
  expect([...new Set(finding)].sort()).toEqual([...NAMES].sort());
});

test.each(GOOD)("no fault leads a good connector astray: $recording", async ({ recording, connector }) => {
  const report = await testConnector(connector, { cassette: await cassetteFile(recording), only: NAMES });
  const bad = report.faults.filter(({ verdict }) => verdict === "WRONG");
  expect(bad.map(({ fault, cause }) => `${fault}: ${cause}`)).toEqual([]);
  const silent = report.faults.filter(({ verdict, fired }) => verdict !== "not-applicable" && fired === 0);
  expect(silent.map(({ fault }) => fault)).toEqual([]);
});
