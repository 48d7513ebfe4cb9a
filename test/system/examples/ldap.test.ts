import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connector } from "../../../examples/ldap.mjs";
import { rejection } from "../../support/promises.js";
import { directoryServer, skipped, whySkipped } from "../../support/slapd.js";
import { testService } from "../../support/test-service.js";
import { companyLdif, GROUPS, PEOPLE } from "./directory-ldif.js";
import { expectWithstands } from "./kit.js";

const COLLECTIONS = ["employees", "groups", "groupMembers"];

describe.skipIf(skipped)(`the LDAP connector${whySkipped}`, () => {
  const service = testService();
  const directory = directoryServer(companyLdif());

  beforeEach(() => {
    vi.stubEnv("LDAP_URL", directory.url);
    vi.stubEnv("LDAP_USER", directory.user);
    vi.stubEnv("LDAP_PASSWORD", directory.password);
    vi.stubEnv("LDAP_BASE", "dc=example,dc=com");
  });
  afterEach(() => vi.unstubAllEnvs());
  const run = async () => {
    await service.run(connector.snapshots, connector.run);
    const [employees = [], groups = [], members = []] = COLLECTIONS.map((name) => service.stored(name));
    return { employees, groups, members };
  };

  test("writes all people and groups, even more than the directory sends at once", async () => {
    const { employees, groups, members } = await run();
    expect(employees).toHaveLength(PEOPLE);
    expect(employees.find(({ fullName }) => fullName === "Person 7")).toMatchObject({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      firstName: "Given 7",
      email: "person.7@example.com",
      emailAliases: ["p7@example.com"],
      attributes: { department: "Department 7" },
    });
    expect(groups).toHaveLength(GROUPS);
    const first = groups.find(({ name }) => name === "Team 1");
    expect(members.filter(({ sourceGroupId }) => sourceGroupId === first?.["id"]).length).toBeGreaterThan(10);
    const ids = new Set(employees.map(({ id }) => id));
    expect(members.filter(({ sourceMemberId }) => !ids.has(sourceMemberId))).toEqual([]);
  });

  test("gives a group's member the person's id, no matter how the group spells the name", async () => {
    const { employees, groups, members } = await run();
    const group = groups.find(({ name }) => name === "Odd names");
    const found = members.filter(({ sourceGroupId }) => sourceGroupId === group?.["id"]);
    const expected = employees.filter(({ fullName }) => fullName === "Person, 1");
    expect(found.map(({ sourceMemberId }) => sourceMemberId)).toEqual(expected.map(({ id }) => id));
  });

  test("completes nothing if a group has a member who isn't one of the people", async () => {
    vi.stubEnv("LDAP_BASE", "ou=groups,dc=example,dc=com");
    const error = await rejection(run());
    expect(error).toMatchObject({ message: expect.stringContaining("is not among the people") });
    expect(service.states()).toEqual([]);
  });

  test("completes nothing if the directory refuses the password, and shows the password in no error", async () => {
    vi.stubEnv("LDAP_PASSWORD", "wrong-password");
    const error = await rejection(run());
    expect(error).toMatchObject({ name: "InvalidCredentialsError" });
    expect(String(error)).not.toContain("wrong-password");
  });

  test("withstands every fault of its source", () => expectWithstands(connector, 10));
});
