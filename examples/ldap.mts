/**
 * Pushes people, groups and members from an LDAP directory.
 *
 *   npm install ldapts && cp node_modules/@saas-management/sdk/examples/ldap.mts .
 *   LDAP_URL=ldaps://… LDAP_USER=cn=… LDAP_PASSWORD=… LDAP_BASE=dc=… npx saas-management run ldap.mts --first-run
 *
 * For Active Directory, use `objectGUID` instead of `entryUUID` (binary: name it in `explicitBufferAttributes`), and
 * `group` instead of `groupOfNames`.
 */
import { defineConnector } from "@saas-management/sdk";
import { Client, type Entry } from "ldapts";

const PERSON = ["entryUUID", "cn", "givenName", "mail", "title", "departmentNumber"];
const GROUP = ["entryUUID", "cn", "description", "member"];

export const connector = defineConnector({
  snapshots: ["employees", "groups", "groupMembers"],
  async run(batch, { signal }) {
    const { LDAP_URL: url = "", LDAP_USER: user = "", LDAP_PASSWORD, LDAP_BASE: base = "" } = process.env;
    const client = new Client({ url, timeout: 60_000, connectTimeout: 60_000 });
    signal.addEventListener("abort", () => void client.unbind(), { once: true });
    try {
      await client.bind(user, LDAP_PASSWORD);
      const idOf = new Map<string, string>();
      // Groups are read before people, so that anyone who joins a group in between is among the people.
      const groups: Entry[] = [];
      for await (const page of search(client, base, "(objectClass=groupOfNames)", GROUP))
        groups.push(...page);
      const people = search(client, base, "(objectClass=inetOrgPerson)", PERSON);
      await batch.write("employees", toEmployees(people, idOf));
      await batch.write("groups", groups.map(toGroup));
      await batch.write("groupMembers", toMembers(groups, idOf));
    } finally {
      await client.unbind();
    }
  },
});

/** Searches page by page: most servers send no more than 1,000 entries at once. An incomplete search throws. */
async function* search(client: Client, base: string, filter: string, attributes: string[]) {
  const pages = client.searchPaginated(base, { filter, attributes, paged: { pageSize: 200 } });
  for await (const { searchEntries, searchReferences } of pages) {
    // Entries on other servers, and values that this server cut off, would be missing and count as removed.
    if (searchReferences.length > 0)
      throw new Error("The directory refers to other servers: lower LDAP_BASE.");
    const cut = searchEntries.flatMap(Object.keys).find((name) => name.includes(";range="));
    if (cut !== undefined) throw new Error(`The directory sent only a part of ${cut}.`);
    yield searchEntries;
  }
}

async function* toEmployees(pages: AsyncIterable<readonly Entry[]>, idOf: Map<string, string>) {
  for await (const people of pages)
    yield people.map((person) => {
      const id = required(person, "entryUUID");
      idOf.set(placeOf(person.dn), id);
      const [email, ...emailAliases] = all(person, "mail").map((address) => address.toLowerCase());
      const [firstName] = all(person, "givenName");
      const [jobTitle] = all(person, "title");
      const [department = ""] = all(person, "departmentNumber");
      const fullName = required(person, "cn");
      return { id, fullName, firstName, email, emailAliases, jobTitle, attributes: { department } };
    });
}

const toGroup = (group: Entry) => ({
  id: required(group, "entryUUID"),
  name: required(group, "cn"),
  description: all(group, "description")[0],
});

function toMembers(groups: readonly Entry[], idOf: ReadonlyMap<string, string>) {
  const placesOfGroups = new Set(groups.map(({ dn }) => placeOf(dn)));
  return groups.flatMap((group) =>
    all(group, "member").flatMap((name) => {
      const sourceGroupId = required(group, "entryUUID");
      const sourceMemberId = idOf.get(placeOf(name));
      if (sourceMemberId !== undefined)
        return [{ id: `${sourceGroupId}/${sourceMemberId}`, sourceGroupId, sourceMemberId }];
      if (placesOfGroups.has(placeOf(name))) return []; // a group in a group
      throw new Error(
        `A member of the group ${required(group, "cn")} is not among the people of the directory.`,
      );
    }),
  );
}

function all(entry: Entry, name: string): readonly string[] {
  const value = entry[name] ?? [];
  return (Array.isArray(value) ? value : [value]).map(String).filter((text) => text !== "");
}

function required(entry: Entry, name: string): string {
  const [value] = all(entry, name);
  if (value === undefined) throw new Error(`An entry of the directory has no attribute ${name}.`);
  return value;
}

/** A distinguished name in one normalized form, regardless of case, spaces, and `\,` or `\2C`. */
function placeOf(name: string): string {
  return name
    .replaceAll(/\\([^\da-f])/gi, (_, escaped: string) => `\\${escaped.charCodeAt(0).toString(16)}`)
    .replaceAll(/\s*([,=])\s*/g, "$1")
    .toLowerCase();
}
