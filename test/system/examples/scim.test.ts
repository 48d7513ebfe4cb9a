import { join } from "node:path";
import { recordVendor } from "@saas-management/sdk/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connector } from "../../../examples/scim.mjs";
import { rejection } from "../../support/promises.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { testService } from "../../support/test-service.js";
import { expectWithstands } from "./kit.js";
import { asSpecified, GROUPS, SERVICES, scimService, USERS } from "./scim-service.js";

const service = testService();
const scim = scimService();
const folder = temporaryFolder();

beforeEach(() => {
  vi.stubEnv("SCIM_URL", scim.url);
  vi.stubEnv("SCIM_TOKEN", "scim-token");
  scim.answer = asSpecified;
});
afterEach(() => vi.unstubAllEnvs());
const storedCounts = () => ["accounts", "groups", "groupMembers"].map((name) => service.stored(name).length);
const run = () => service.run(connector.snapshots, connector.run);

test("writes every page of users, groups and members of a SCIM service", async () => {
  await run();
  expect(storedCounts()).toEqual([USERS, GROUPS, USERS]);
  expect(service.stored("accounts").find(({ id }) => id === "u-7")).toMatchObject({
    username: "person.7",
    email: "person.7@example.com",
    active: true,
  });
});

test.each(SERVICES)("reads a whole service that %s, or refuses it", async (_, answer, whole) => {
  scim.answer = answer;
  const outcome = await run().then(
    () => true,
    () => false,
  );
  expect([outcome, storedCounts()]).toEqual([whole, whole ? [USERS, GROUPS, USERS] : [0, 0, 0]]);
});

test("removes nothing if the SCIM service refuses the token", async () => {
  await run();
  vi.stubEnv("SCIM_TOKEN", "another");
  expect(String(await rejection(run()))).toBe("Error: The SCIM service answered with status 401.");
  expect(service.states()).toEqual(["completed"]);
});

test("withstands every fault of the SCIM service", async () => {
  const cassette = join(folder.path, "scim.cassette.json");
  await recordVendor(connector, { to: cassette });
  await expectWithstands(connector, 25, { cassette });
});
