import { type ConnectorReport, testConnector } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import { hostConnector } from "../../../examples/connectors/host/index.js";
import { ldapConnector } from "../../../examples/connectors/ldap/index.js";
import { postgresConnector } from "../../../examples/connectors/postgres/index.js";
import { restConnector } from "../../../examples/connectors/rest/index.js";
import {
  employeeConnector,
  vendorConnector,
  vendorExports,
} from "../../../examples/connectors/vendor-export/index.js";
import * as postgres from "../../support/postgres.js";
import * as slapd from "../../support/slapd.js";
import { companyLdif } from "../examples/directory-ldif.js";
import { createHrTables } from "../examples/hr-tables.js";
import { REST_VENDOR } from "./rest-recording.js";

const DATA = new URL("../../../examples/data/", import.meta.url);
const NOW = new Date("2026-11-22T08:00:00Z");
const LIMIT = { timeout: 120_000 };

/** Nothing is WRONG, every fault struck, and some runs ended in each way. */
function expectGood(report: ConnectorReport, faults: number): void {
  expect(report.faults.filter(({ verdict }) => verdict === "WRONG")).toEqual([]);
  expect(report.notRun.filter(({ reason }) => reason.includes("error of the kit"))).toEqual([]);
  const struck = report.faults.filter(({ verdict }) => verdict !== "not-applicable");
  expect(struck.length).toBeGreaterThanOrEqual(faults);
  expect(new Set(struck.map(({ verdict }) => verdict))).toEqual(new Set(["same", "refused", "held"]));
}

test("the connector of a paged API withstands every fault of its vendor", LIMIT, async () => {
  const { cassette, ...vendor } = REST_VENDOR;
  expectGood(await testConnector(restConnector(vendor), { cassette }), 28);
});

test("the connector of this machine withstands every fault of its source", LIMIT, async () => {
  expectGood(await testConnector(hostConnector({ now: NOW }, () => {})), 12);
});

test("the connector of the HR export withstands every fault of its source", LIMIT, async () => {
  expectGood(await testConnector(employeeConnector(DATA)), 10);
});

test.each(vendorExports(DATA))(
  "the connector of the export of $vendor withstands every fault",
  LIMIT,
  async (source) => {
    expectGood(await testConnector(vendorConnector(source, NOW)), 10);
  },
);

describe.skipIf(postgres.skipped)(`PostgreSQL${postgres.whySkipped}`, () => {
  const database = postgres.postgresServer();

  test("the connector of tables withstands every fault of its source", LIMIT, async () => {
    const pool = database.pool();
    const schema = database.schema();
    await createHrTables(pool, schema);
    expectGood(await testConnector(postgresConnector(pool, schema)), 12);
  });
});

describe.skipIf(slapd.skipped)(`LDAP${slapd.whySkipped}`, () => {
  const directory = slapd.directoryServer(companyLdif());

  test("the connector of a directory withstands every fault of its source", LIMIT, async () => {
    const { url, user, password } = directory;
    expectGood(await testConnector(ldapConnector({ url, user, password, base: "dc=example,dc=com" })), 10);
  });
});
