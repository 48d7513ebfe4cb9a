import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connector } from "../../../examples/ldap.mjs";
import { rejection } from "../../support/promises.js";
import { directoryServer, skipped, whySkipped } from "../../support/slapd.js";
import { testService } from "../../support/test-service.js";
import { companyLdif, GROUPS, PEOPLE } from "./directory-ldif.js";
import { expectWithstands } from "./kit.js";

const nameOf = (record: object) => "fullName" in record && record.fullName;

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
  const run = () => service.run(connector.snapshots, connector.run);

  test("writes all people and groups, even more than the directory sends at once", async () => {
    await run();
    const { employees, groups, groupMembers } = service.inspect().snapshots;
    expect(employees).toHaveLength(PEOPLE);
    const ada = employees.find(({ record }) => nameOf(record) === "Person 7");
    expect(ada?.id).toMatch(/^[\da-f-]{36}$/);
    expect(ada?.record).toMatchObject({
      firstName: "Given 7",
      email: "person.7@example.com",
      emailAliases: ["p7@example.com"],
      attributes: { department: "Department 7" },
    });
    expect(groups).toHaveLength(GROUPS);
    const first = groups.find(({ record }) => record.name === "Team 1");
    const members = groupMembers.filter(({ record }) => record.sourceGroupId === first?.id);
    expect(members.length).toBeGreaterThan(10);
    const ids = new Set(employees.map(({ id }) => id));
    expect(groupMembers.filter(({ record }) => !ids.has(record.sourceMemberId))).toEqual([]);
  });

  test("gives a group's member the person's id, however the group spells its name", async () => {
    await run();
    const { employees, groups, groupMembers } = service.inspect().snapshots;
    const group = groups.find(({ record }) => record.name === "Odd names")?.id;
    const members = groupMembers.filter(({ record }) => record.sourceGroupId === group);
    const expected = employees.filter(({ record }) => nameOf(record) === "Person, 1");
    expect(members.map(({ record }) => record.sourceMemberId)).toEqual(expected.map(({ id }) => id));
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
