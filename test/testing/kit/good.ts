/** A connector for each recording, which a vendor's faults do not lead to a wrong snapshot. */
import { type Connector, defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromCsv, fromPages } from "@saas-management/sdk/sources";
import { z } from "zod";
import { QUERY } from "./recordings/index.js";
import { ORIGIN } from "./recordings/people.js";

/** What a user must look like; one that does not is an error, not a user without a name. */
const USER = z.object({
  id: z.union([z.string().min(1), z.int()]).transform(String),
  displayName: z.string().min(1),
  email: z.email(),
  active: z.boolean(),
  seat: z.int(),
  updatedAt: z.iso.datetime(),
});
const USERS = z.array(USER);
const TOTAL = z.int().nonnegative();

const map = ({ id, displayName, email, active, seat }: z.output<typeof USER>): RecordOf<"accounts"> => ({
  id,
  name: displayName,
  email,
  active,
  username: `seat-${seat}`,
});

const ATTEMPTS = 4;
const TRANSIENT = [408, 429, 500, 502, 503, 504];

/** Asks again for what may pass; anything but a 200 is an error, and its body is not in the message. */
async function ask(path: string, init: RequestInit = {}): Promise<{ text: string; headers: Headers }> {
  for (let attempt = 1; ; attempt += 1) {
    let retryAfter: string | null = null;
    try {
      const authorization = "Bearer key-of-the-good-connector";
      const headers = { authorization, ...init.headers };
      const response = await fetch(new URL(path, ORIGIN), { redirect: "manual", ...init, headers });
      const bytes = await response.arrayBuffer();
      if (response.status === 200) {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        return { text, headers: response.headers };
      }
      if (attempt === ATTEMPTS || !TRANSIENT.includes(response.status))
        throw new RangeError(`${path.split("?")[0]}: the vendor answered ${response.status}.`);
      retryAfter = response.headers.get("retry-after");
    } catch (error) {
      if (attempt === ATTEMPTS || error instanceof RangeError) throw error;
    }
    const seconds = Number(retryAfter ?? 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

async function askJson(path: string, init?: RequestInit) {
  const { text, headers } = await ask(path, init);
  const json: unknown = JSON.parse(text);
  return { json, headers };
}

function post(path: string, json: unknown) {
  const headers = { "content-type": "application/json" };
  return askJson(path, { method: "POST", headers, body: JSON.stringify(json) });
}

type Users = ReturnType<typeof fromPages<z.output<typeof USER>, RecordOf<"accounts">>>;

function accountsFrom(users: () => Users | AsyncIterable<RecordOf<"accounts">>): Connector<"accounts"> {
  return defineConnector({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", users()) });
}

function tokenPages<Item>(key: string, item: z.ZodType<Item>) {
  const page = z.object({ nextPageToken: z.string().min(1).nullable(), total: TOTAL }).loose();
  return async (cursor: string | undefined) => {
    const { json } = await askJson(
      `/v1/${key}?limit=10${cursor === undefined ? "" : `&pageToken=${cursor}`}`,
    );
    const { nextPageToken: next, total, [key]: items } = page.parse(json);
    return { items: z.array(item).parse(items), next, total };
  };
}

const LICENSE = z.object({ id: z.string().min(1), user: z.string().min(1), plan: z.string().min(1) });

export const byToken = defineConnector({
  snapshots: ["accounts", "plans", "licenses"],
  run: async (batch) => {
    await batch.write("accounts", fromPages(tokenPages("users", USER), { map }));
    const details = { model: "SEAT_BASED", seatBased: {} } as const;
    await batch.write("plans", [{ id: "pro", externalPlanName: "Pro", details }]);
    const licenses = fromPages(tokenPages("licenses", LICENSE), {
      map: ({ id: sourceId, user: sourceAccountId, plan: sourcePlanId }): RecordOf<"licenses"> => ({
        sourceId,
        sourceAccountId,
        sourcePlanId,
        billable: true,
      }),
    });
    await batch.write("licenses", licenses);
  },
});

async function numberedPage(cursor = "1") {
  const { json, headers } = await askJson(`/api/users?page=${cursor}&per_page=10`);
  const page = z.object({ data: USERS, meta: z.object({ page: TOTAL, pages: TOTAL }) });
  const { data: items, meta } = page.parse(json);
  const total = TOTAL.parse(Number(headers.get("x-total-count") ?? Number.NaN));
  return { items, next: Number(cursor) < meta.pages ? `${Number(cursor) + 1}` : undefined, total };
}

async function searched(cursor = "0") {
  const offset = Number(cursor);
  const { json } = await post("/search", { type: "user", offset, limit: 10 });
  const { rows: items, totalSize: total } = z
    .object({ result: z.object({ rows: USERS, totalSize: TOTAL }) })
    .parse(json).result;
  const read = offset + items.length;
  return { items, next: read < total ? `${read}` : undefined, total };
}

async function linkedPage(cursor = "/users") {
  const { json, headers } = await askJson(cursor);
  const link = headers.get("link");
  if (link === null) throw new Error("The page has no Link header.");
  return { items: USERS.parse(json), next: /<([^>]*)>; rel="next"/.exec(link)?.[1] };
}

const CONNECTION = z.object({
  totalCount: TOTAL,
  edges: z.array(z.object({ node: USER })),
  pageInfo: z.discriminatedUnion("hasNextPage", [
    z.object({ hasNextPage: z.literal(true), endCursor: z.string().min(1) }),
    z.object({ hasNextPage: z.literal(false) }),
  ]),
});

async function members(cursor?: string) {
  const { json } = await post("/graphql", { query: QUERY, variables: { first: 10, after: cursor ?? null } });
  const body = z.strictObject({ data: z.object({ organization: z.object({ members: CONNECTION }) }) });
  const { edges, pageInfo, totalCount: total } = body.parse(json).data.organization.members;
  const next = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
  return { items: edges.map(({ node }) => node), next, total };
}

async function* details(): AsyncGenerator<RecordOf<"accounts">> {
  const form = { grant_type: "client_credentials", client_secret: "secret-of-the-good-connector" };
  const token = await askJson("/oauth/token", { method: "POST", body: new URLSearchParams(form) });
  const { access_token } = z.object({ access_token: z.string().min(1) }).parse(token.json);
  const headers = { authorization: `Bearer ${access_token}` };
  const list = z.object({ users: z.array(z.object({ id: z.string().min(1) })) });
  const { users } = list.parse((await askJson("/v2/users", { headers })).json);
  for (const { id } of users) {
    const user = USER.parse((await askJson(`/v2/users/${id}`, { headers })).json);
    if (user.id !== id) throw new Error("The vendor answered with another user.");
    yield map(user);
  }
}

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
  { recording: "by page number", connector: accountsFrom(() => fromPages(numberedPage, { map })) },
  { recording: "by offset", connector: accountsFrom(() => fromPages(searched, { map })) },
  { recording: "by link", connector: accountsFrom(() => fromPages(linkedPage, { map })) },
  { recording: "by cursor", connector: accountsFrom(() => fromPages(members, { map })) },
  { recording: "with details", connector: accountsFrom(details) },
  { recording: "csv export", connector: csvExport },
] as const;
