/** Careless readers of the other recordings. */
import { defineConnector } from "@saas-management/sdk";
import { eventConnector, fetchVendor, type Loose, post } from "./loose.js";

async function searched(offset: number) {
  const response = await post("/search", { type: "user", offset, limit: 10 });
  if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
  const { result }: { result: { rows: readonly Loose[]; totalSize: number } } = await response.json();
  return result;
}

/** Counts by the page size that it asked for, up to the total that it was told first. */
export const countsByPageSize = eventConnector(async () => {
  const users: Loose[] = [];
  let total = 1;
  for (let offset = 0; offset < total; offset += 10) {
    const { rows, totalSize } = await searched(offset);
    if (offset === 0) total = totalSize;
    users.push(...rows);
  }
  return users;
});

/** Writes ids of numbers with a prefix, and those of strings as they are. */
export const writesIdsByType = defineConnector({
  snapshots: [],
  run: async (batch) => {
    for (const offset of [0, 10, 20]) {
      const { rows } = await searched(offset);
      const uses = rows.map(({ id, updatedAt }) => ({
        id: typeof id === "number" ? `n${id}` : id,
        sourceActorId: `${id}`,
        lastActivity: updatedAt,
      }));
      await batch.write("usage", uses);
    }
  },
});

const QUERY =
  "query Members($first: Int!, $after: String) { organization { members(first: $first, after: $after) { totalCount edges { node { id email } } pageInfo { hasNextPage endCursor } } } }";

/** Looks at the data of GraphQL, and never at its errors. */
export const ignoresGraphqlErrors = eventConnector(async () => {
  const users: Loose[] = [];
  let after: string | null = null;
  for (;;) {
    const response = await post("/graphql", { query: QUERY, variables: { first: 10, after } });
    const members = (await response.json()).data?.organization?.members;
    for (const { node } of members?.edges ?? []) users.push(node);
    if (members?.pageInfo?.hasNextPage !== true) return users;
    after = members.pageInfo.endCursor;
  }
});

/** Leaves out the users whose details it does not get, and takes any details for those that it asked for. */
export const skipsDetails = eventConnector(async () => {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_secret: "secret-of-the-careless",
  });
  const granted = await fetchVendor("/oauth/token", { method: "POST", body: form });
  const { access_token: token = "none" } = await granted.json();
  const headers = { authorization: `Bearer ${token}` };
  const list = await fetchVendor("/v2/users", { headers });
  const { users = [] }: { users?: readonly Loose[] } = await list.json();
  const details: Loose[] = [];
  for (const { id } of users) {
    const response = await fetchVendor(`/v2/users/${id}`, { headers });
    const user = response.ok ? await response.json() : {};
    if (user.id !== undefined) details.push(user);
  }
  return details;
});

/** Splits a file by hand, and leaves out rows that it does not understand. */
export const splitsCsv = eventConnector(async () => {
  const text = await (await fetchVendor("/export.csv")).text();
  const [header = "", ...lines] = text.split("\n");
  const columns = header.split(",");
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(",").map((cell, at) => [columns[at], cell])),
  );
  return rows
    .filter((row) => row["id"] && row["name"])
    .map((row) => ({
      id: row["id"] ?? "",
      displayName: row["name"] ?? "",
      email: row["email"] ?? "",
      updatedAt: "2026-05-01T00:00:00Z",
    }));
});

/** Writes the rows that it is given. */
export const trustsFile = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const [, ...lines] = (await (await fetchVendor("/export.csv")).text()).trimEnd().split("\n");
    const accounts = lines
      .map((line) => line.split(","))
      .map(([id = "", name, email]) => ({ id, name, email }));
    await batch.write("accounts", accounts);
  },
});
