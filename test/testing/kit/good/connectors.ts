/** A connector for each recording, which a vendor's faults do not lead to a wrong snapshot. */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromCsv, fromPages } from "@saas-management/sdk/sources";
import { z } from "zod";
import { accountOf, ask, USER, type User } from "./vendor.js";

const map = (user: User) => accountOf(user);

const TOTAL = z.int().nonnegative();

async function tokenPage<Item>(path: string, key: string, item: z.ZodType<Item>, cursor: string | undefined) {
  const token = cursor === undefined ? "" : `&pageToken=${cursor}`;
  const { text } = await ask(`${path}?limit=10${token}`);
  const page = z.object({ nextPageToken: z.string().min(1).nullable(), total: TOTAL }).loose();
  const { nextPageToken, total, [key]: items } = page.parse(JSON.parse(text));
  return { items: z.array(item).parse(items), next: nextPageToken, total };
}

const LICENSE = z.object({ id: z.string().min(1), user: z.string().min(1), plan: z.string().min(1) });

const byToken = defineConnector({
  snapshots: ["accounts", "plans", "licenses"],
  run: async (batch) => {
    const users = fromPages((cursor) => tokenPage("/v1/users", "users", USER, cursor), { map });
    await batch.write("accounts", users);
    const plan = {
      id: "pro",
      externalPlanName: "Pro",
      details: { model: "SEAT_BASED", seatBased: {} },
    } as const;
    await batch.write("plans", [plan]);
    const licenses = fromPages((cursor) => tokenPage("/v1/licenses", "licenses", LICENSE, cursor), {
      map: ({ id, user, plan: sourcePlanId }): RecordOf<"licenses"> => ({
        sourceId: id,
        sourceAccountId: user,
        sourcePlanId,
        billable: true,
      }),
    });
    await batch.write("licenses", licenses);
  },
});

const byPageNumber = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const users = fromPages(
      async (cursor) => {
        const number = Number(cursor ?? 1);
        const { text, headers } = await ask(`/api/users?page=${number}&per_page=10`);
        const page = z.object({ data: z.array(USER), meta: z.object({ page: TOTAL, pages: TOTAL }) });
        const { data, meta } = page.parse(JSON.parse(text));
        const total = TOTAL.parse(Number(headers.get("x-total-count") ?? Number.NaN));
        return { items: data, next: number < meta.pages ? `${number + 1}` : undefined, total };
      },
      { map },
    );
    await batch.write("accounts", users);
  },
});

const byOffset = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const users = fromPages(
      async (cursor) => {
        const offset = Number(cursor ?? 0);
        const { text } = await ask("/search", {
          method: "POST",
          json: { type: "user", offset, limit: 10 },
        });
        const page = z.object({ result: z.object({ rows: z.array(USER), totalSize: TOTAL }) });
        const { rows, totalSize } = page.parse(JSON.parse(text)).result;
        const read = offset + rows.length;
        return { items: rows, next: read < totalSize ? `${read}` : undefined, total: totalSize };
      },
      { map },
    );
    await batch.write("accounts", users);
  },
});

const byLink = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const users = fromPages(
      async (cursor) => {
        const { text, headers } = await ask(cursor ?? "/users");
        const link = headers.get("link");
        if (link === null) throw new Error("The page has no Link header.");
        return {
          items: z.array(USER).parse(JSON.parse(text)),
          next: /<([^>]*)>; rel="next"/.exec(link)?.[1],
        };
      },
      { map },
    );
    await batch.write("accounts", users);
  },
});

const QUERY =
  "query Members($first: Int!, $after: String) { organization { members(first: $first, after: $after) { totalCount edges { node { id email } } pageInfo { hasNextPage endCursor } } } }";

const CONNECTION = z.object({
  totalCount: TOTAL,
  edges: z.array(z.object({ node: USER })),
  pageInfo: z.discriminatedUnion("hasNextPage", [
    z.object({ hasNextPage: z.literal(true), endCursor: z.string().min(1) }),
    z.object({ hasNextPage: z.literal(false) }),
  ]),
});

const byCursor = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const users = fromPages(
      async (cursor) => {
        const json = { query: QUERY, variables: { first: 10, after: cursor ?? null } };
        const { text } = await ask("/graphql", { method: "POST", json });
        const body = z.strictObject({
          data: z.object({ organization: z.object({ members: CONNECTION }) }),
        });
        const { edges, pageInfo, totalCount } = body.parse(JSON.parse(text)).data.organization.members;
        const next = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
        return { items: edges.map(({ node }) => node), next, total: totalCount };
      },
      { map },
    );
    await batch.write("accounts", users);
  },
});

const withDetails = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_secret: "secret-of-the-good",
    });
    const token = await ask("/oauth/token", { method: "POST", form });
    const { access_token: key } = z.object({ access_token: z.string().min(1) }).parse(JSON.parse(token.text));
    const list = await ask("/v2/users", { key });
    const { users } = z
      .object({ users: z.array(z.object({ id: z.string().min(1) })) })
      .parse(JSON.parse(list.text));
    const details = async function* () {
      for (const { id } of users) {
        const user = USER.parse(JSON.parse((await ask(`/v2/users/${id}`, { key })).text));
        if (user.id !== id) throw new Error("The vendor answered with another user.");
        yield accountOf(user);
      }
    };
    await batch.write("accounts", details());
  },
});

const csvExport = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const { text } = await ask("/export.csv");
    const rows = fromCsv(new Blob([text]).stream(), {
      columns: ["id", "name", "email"],
      map: ({ id, name, email }) => ({ id, name, email: z.email().parse(email) }),
    });
    await batch.write("accounts", rows);
  },
});

export const GOOD = [
  { recording: "by token", connector: byToken },
  { recording: "by page number", connector: byPageNumber },
  { recording: "by offset", connector: byOffset },
  { recording: "by link", connector: byLink },
  { recording: "by cursor", connector: byCursor },
  { recording: "with details", connector: withDetails },
  { recording: "csv export", connector: csvExport },
] as const;
