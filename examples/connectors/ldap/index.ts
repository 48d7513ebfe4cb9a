/** The LDAP connector: the people of a directory such as OpenLDAP, its groups, and who is in them. */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { attributes } from "../fields.js";
import { type DirectoryEntry, type Login, openDirectory, placeOf } from "./directory.js";

export interface LdapOptions extends Login {
  /** People and groups are below it, such as `dc=example,dc=com`. */
  readonly base: string;
}

const PERSON = ["entryUUID", "cn", "givenName", "sn", "mail", "title", "departmentNumber", "employeeType"];
const GROUP = ["entryUUID", "cn", "description", "mail", "member"];

export function ldapConnector({ base, ...login }: LdapOptions) {
  return defineConnector({
    snapshots: ["employees", "groups", "groupMembers"],
    async run(batch) {
      await using directory = await openDirectory(login);
      const ids = new Map<string, string>();

      async function* employees() {
        for await (const people of directory.search(base, "(objectClass=inetOrgPerson)", PERSON)) {
          for (const person of people) ids.set(person.place, person.id);
          yield people.map(toEmployee);
        }
      }

      // Before the people: a member who joins meanwhile is not in a group yet.
      const groups: DirectoryEntry[] = [];
      for await (const page of directory.search(base, "(objectClass=groupOfNames)", GROUP))
        groups.push(...page);
      await batch.write("employees", employees());
      await batch.write("groups", groups.map(toGroup));
      const places = new Set(groups.map(({ place }) => place));
      await batch.write(
        "groupMembers",
        groups.flatMap((group) => toMembers(group, ids, places)),
      );
    },
  });
}

function toEmployee(person: DirectoryEntry): RecordOf<"employees"> {
  const [email, ...emailAliases] = person.all("mail").map((address) => address.toLowerCase());
  return {
    id: person.id,
    fullName: person.required("cn"),
    firstName: person.text("givenName"),
    lastName: person.text("sn"),
    email,
    emailAliases,
    jobTitle: person.text("title"),
    userType: person.text("employeeType"),
    attributes: attributes({ department: person.text("departmentNumber") }),
  };
}

function toGroup(group: DirectoryEntry): RecordOf<"groups"> {
  return {
    id: group.id,
    name: group.required("cn"),
    description: group.text("description"),
    email: group.text("mail"),
  };
}

/**
 * Members are named by their places in the tree, which change when somebody moves.
 * @param ids of people, by place
 * @param groups places of groups, which may be members too and are left out
 */
function toMembers(
  group: DirectoryEntry,
  ids: ReadonlyMap<string, string>,
  groups: ReadonlySet<string>,
): readonly RecordOf<"groupMembers">[] {
  return group.all("member").flatMap((name) => {
    const id = ids.get(placeOf(name));
    if (id !== undefined) return [{ id: `${group.id}/${id}`, sourceGroupId: group.id, sourceMemberId: id }];
    if (groups.has(placeOf(name))) return [];
    // Leaving it out would take somebody out of the group who was only moved or not shown to us.
    throw new Error(
      `A member of the group ${group.required("cn")} is not among the people of the directory.`,
    );
  });
}
