/**
 * Users, groups and members of any SCIM 2.0 service (RFC 7644), such as an identity provider.
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
  async run(batch) {
    // Sorted, because SCIM pages by number: without an order, an item could move to a page that was read already.
    const users = list<User, RecordOf<"accounts">>(
      "Users",
      "userName",
      ({ id, userName, displayName, active, emails = [] }) => {
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
    const members = groups.flatMap(({ id: sourceGroupId, members = [] }) =>
      members
        .filter(({ type = "User" }) => type === "User")
        .map(({ value }) => ({ id: `${sourceGroupId}/${value}`, sourceGroupId, sourceMemberId: value })),
    );
    await batch.write("groupMembers", members);
  },
});

/** `fromPages` refuses a listing whose items are not as many as `totalResults` says, or where a page comes twice. */
function list<Item, R>(resource: string, sortBy: string, map: (item: Item) => R): Source<R> {
  return fromPages(
    async (startIndex = "1", { signal }) => {
      if (process.env["SCIM_URL"] === undefined) throw new Error("SCIM_URL is not set.");
      const query = new URLSearchParams({ startIndex, count: `${PAGE}`, sortBy, sortOrder: "ascending" });
      const response = await fetch(`${process.env["SCIM_URL"]}/${resource}?${query}`, {
        headers: { accept: "application/scim+json", authorization: `Bearer ${process.env["SCIM_TOKEN"]}` },
        redirect: "manual",
        signal,
      });
      if (response.status !== 200)
        throw new Error(`The SCIM service answered with status ${response.status}.`);
      const { Resources: items = [], totalResults: total }: List<Item> = await response.json();
      if (!Number.isInteger(total)) throw new Error("The answer of the SCIM service is not a list.");
      const next = Number(startIndex) + items.length;
      return { items, total, next: next <= total && items.length > 0 ? `${next}` : null };
    },
    { map },
  );
}
