/**
 * Pushes users, groups and members from any SCIM 2.0 service (RFC 7644), such as an identity provider.
 *
 *   cp node_modules/@saas-management/sdk/examples/scim.mts .
 *   SCIM_URL=https://idp.example/scim/v2 SCIM_TOKEN=… npx saas-management run scim.mts --first-run
 */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromPages, type Source } from "@saas-management/sdk/sources";

const PAGE = 100;

interface User {
  readonly id: string;
  readonly userName: string;
  readonly displayName?: string;
  readonly active?: boolean;
  readonly emails?: readonly { readonly value: string; readonly primary?: boolean }[];
}

interface Group {
  readonly id: string;
  readonly displayName: string;
  readonly members?: readonly { readonly value: string; readonly type?: string }[];
}

interface List<Item> {
  readonly totalResults: number;
  readonly Resources?: readonly Item[];
}

export const connector = defineConnector({
  snapshots: ["accounts", "groups", "groupMembers"],
  async run(batch, { signal }) {
    const userIds = new Set<string>();
    // Sorted, because SCIM pages by number: otherwise, an item could move to a page that was already read.
    const users = list<User, RecordOf<"accounts">>(
      "Users",
      "userName",
      ({ id, userName, displayName, active, emails = [] }) => {
        userIds.add(id);
        const { value: email } = emails.find(({ primary }) => primary === true) ?? emails[0] ?? {};
        return {
          id,
          username: userName,
          name: displayName,
          email: email?.toLowerCase(),
          active: active ?? true,
        };
      },
    );
    await batch.write("accounts", users);

    const groups: Group[] = [];
    for await (const page of list<Group, Group>("Groups", "displayName", (group) => group))
      groups.push(...page);
    await batch.write(
      "groups",
      groups.map(({ id, displayName: name }) => ({ id, name })),
    );
    const groupIds = new Set(groups.map(({ id }) => id));
    await batch.write(
      "groupMembers",
      (async function* () {
        for (const group of groups) {
          for (const { value, type } of await membersOf(group, signal)) {
            if (type === "Group" || groupIds.has(value)) continue;
            if (!userIds.has(value))
              throw new Error(`Group ${group.id} has a member that the service did not list as a user.`);
            yield { id: `${group.id}/${value}`, sourceGroupId: group.id, sourceMemberId: value };
          }
        }
      })(),
    );
  },
});

/** Many services list groups without their members, or with an empty list of members. */
async function membersOf({ id, members = [] }: Group, signal: AbortSignal) {
  if (members.length > 0) return members;
  const group: Group = await get(`Groups/${encodeURIComponent(id)}`, signal);
  if (group.id !== id) throw new Error(`The SCIM service returned a different group than ${id}.`);
  return group.members ?? [];
}

/** Reads pages until one is empty; `fromPages` refuses a repeated page. */
function list<Item, R>(resource: string, sortBy: string, map: (item: Item) => R): Source<R> {
  return fromPages(
    async (startIndex = "1", { signal }) => {
      const query = new URLSearchParams({ startIndex, count: `${PAGE}`, sortBy, sortOrder: "ascending" });
      const { Resources: items = [], totalResults }: List<Item> = await get(`${resource}?${query}`, signal);
      if (!Number.isInteger(totalResults)) throw new Error("The answer of the SCIM service is not a list.");
      return {
        items,
        // Some services return the number of items on the page instead of the total.
        total: totalResults > items.length ? totalResults : undefined,
        next: items.length > 0 ? `${Number(startIndex) + items.length}` : null,
      };
    },
    { map },
  );
}

async function get<T>(path: string, signal: AbortSignal): Promise<T> {
  if (process.env["SCIM_URL"] === undefined) throw new Error("SCIM_URL is not set.");
  const response = await fetch(`${process.env["SCIM_URL"]}/${path}`, {
    headers: { accept: "application/scim+json", authorization: `Bearer ${process.env["SCIM_TOKEN"]}` },
    redirect: "manual",
    signal,
  });
  if (response.status !== 200) throw new Error(`The SCIM service answered with status ${response.status}.`);
  return response.json();
}
