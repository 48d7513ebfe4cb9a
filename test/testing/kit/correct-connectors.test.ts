/** Connectors that do everything right, one for each way in which vendors list; no fault may turn one WRONG. */
import { defineConnector } from "@saas-management/sdk";
import { testConnector } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Exchange } from "../../../src/testing/kit/cassette/cassette.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { TOTAL, USER } from "./good.js";
import { jsonOf, nextOf, post, send } from "./planted/vendor.js";
import { cassetteOf, QUERY, RECORDINGS } from "./recordings/index.js";
import { get, pagesOf, people } from "./recordings/people.js";

type User = z.output<typeof USER>;

interface Page {
  readonly users: readonly User[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | number | undefined;
  readonly total?: number | undefined;
}

interface Kind {
  readonly exchanges: readonly Exchange[];
  readonly page: (at: string | number | undefined, read: number) => Promise<Page>;
}

const COUNT = 30;

/** Pages that name the next one by a number: an offset, a page number, or the number of an event. */
function numbered(name: string, nextOfPage: (index: number) => number, total?: number): Kind {
  const ask = (at: string | number | undefined) =>
    `/v3/logins?limit=10${at === undefined ? "" : `&${name}=${at}`}`;
  const SHAPE = z.object({
    logins: z.array(USER),
    next: z.int().positive().nullable(),
    total: total === undefined ? z.undefined().optional() : TOTAL,
  });
  return {
    exchanges: pagesOf(people(COUNT)).map((logins, index, { length }) =>
      get(ask(index === 0 ? undefined : nextOfPage(index)), {
        logins,
        next: index + 1 < length ? nextOfPage(index + 1) : null,
        ...(total === undefined ? {} : { total }),
      }),
    ),
    page: async (at) => {
      const body = SHAPE.parse(await jsonOf(await send(ask(at))));
      return { users: body.logins, next: body.next ?? undefined, total: body.total };
    },
  };
}

/** Pages that contain the whole address of the next one. */
function addressed(queryOf: (index: number) => string): Kind {
  const path = (index: number) => `/v4/users?${queryOf(index)}`;
  const SHAPE = z.object({ users: z.array(USER), next: z.string().min(1).nullable(), total: TOTAL });
  return {
    exchanges: pagesOf(people(COUNT)).map((users, index, { length }) =>
      get(path(index), { users, next: index + 1 < length ? path(index + 1) : null, total: COUNT }),
    ),
    page: async (at = path(0)) => {
      const { users, next, total } = SHAPE.parse(await jsonOf(await send(`${at}`)));
      return { users, next: next ?? undefined, total };
    },
  };
}

/** Users nested in other items, paged by tokens. */
function nested(
  name: string,
  itemOf: (user: User) => object,
  shape: z.ZodType<User | readonly User[]>,
): Kind {
  const path = (token?: unknown) => `/v1/${name}?limit=10${token === undefined ? "" : `&pageToken=${token}`}`;
  const SHAPE = z.object({ items: z.array(shape), nextPageToken: z.string().min(1).nullable() });
  return {
    exchanges: pagesOf(people(COUNT).map(itemOf)).map((items, index, { length }) =>
      get(path(index === 0 ? undefined : `token-${index + 1}`), {
        items,
        nextPageToken: index + 1 < length ? `token-${index + 2}` : null,
      }),
    ),
    page: async (at) => {
      const { items, nextPageToken } = SHAPE.parse(await jsonOf(await send(path(at))));
      return { users: items.flat(), next: nextPageToken ?? undefined };
    },
  };
}

const KINDS: Readonly<Record<string, Kind>> = {
  "a token": {
    exchanges: RECORDINGS["by token"].filter(({ request }) => request.url.includes("/users")),
    page: async (at) => {
      const body = await jsonOf(
        await send(`/v1/users?limit=10${at === undefined ? "" : `&pageToken=${at}`}`),
      );
      const { users, nextPageToken, total } = z
        .object({ users: z.array(USER), nextPageToken: z.string().min(1).nullable(), total: TOTAL })
        .parse(body);
      return { users, next: nextPageToken ?? undefined, total };
    },
  },
  "the number of a page": {
    exchanges: RECORDINGS["by page number"],
    page: async (at = 1) => {
      const response = await send(`/api/users?page=${at}&per_page=10`);
      const { data, meta } = z
        .object({ data: z.array(USER), meta: z.object({ page: z.int(), pages: z.int() }) })
        .parse(await jsonOf(response));
      const total = TOTAL.parse(Number(response.headers.get("x-total-count") ?? Number.NaN));
      if (meta.page !== Number(at)) throw new Error("This is another page.");
      return { users: data, next: meta.page < meta.pages ? meta.page + 1 : undefined, total };
    },
  },
  "an offset": {
    exchanges: RECORDINGS["by offset"],
    page: async (_, offset) => {
      const body = await jsonOf(await post("/search", { type: "user", offset, limit: 10 }));
      const { result } = z
        .object({ result: z.object({ rows: z.array(USER), totalSize: TOTAL }) })
        .parse(body);
      const read = offset + result.rows.length;
      if (result.rows.length === 0 && offset < result.totalSize) throw new Error("The page is empty.");
      return {
        users: result.rows,
        next: read < result.totalSize ? read : undefined,
        total: result.totalSize,
      };
    },
  },
  "a link header": {
    exchanges: RECORDINGS["by link"].filter(({ request }) => request.method === "GET"),
    page: async (at = "/users") => {
      const response = await send(`${at}`);
      const users = z.array(USER).parse(await jsonOf(response));
      return { users, next: nextOf(response) };
    },
  },
  "a cursor of GraphQL": {
    exchanges: RECORDINGS["by cursor"],
    page: async (at) => {
      const after = at ?? null;
      const body = await jsonOf(await post("/graphql", { query: QUERY, variables: { first: 10, after } }));
      if ("errors" in body) throw new Error("The answer has errors.");
      const { edges, pageInfo, totalCount } = z
        .object({
          edges: z.array(z.object({ node: USER })),
          pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string() }),
          totalCount: TOTAL,
        })
        .parse(body.data?.organization?.members);
      const next = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
      return { users: edges.map(({ node }) => node), next, total: totalCount };
    },
  },
  "a numeric next that is an offset": numbered("offset", (index) => index * 10),
  "a numeric next that is an offset, with a total": numbered("start", (index) => index * 10, COUNT),
  "a numeric next that is a page": numbered("page", (index) => index + 1),
  "a numeric next that is an event's number": numbered("since", (index) => 1000 + index * 10),
  memberships: nested(
    "members",
    (user) => ({ role: "member", user }),
    z.object({ user: USER }).transform(({ user }) => user),
  ),
  "memberships with ids": nested(
    "memberships",
    (user) => ({ id: `m-${user.id}`, user }),
    z.object({ id: z.string().min(1), user: USER }).transform(({ user }) => user),
  ),
  teams: nested(
    "teams",
    (user) => ({ id: `t-${user.id}`, name: `Team of ${user.displayName}`, members: [user] }),
    z
      .object({ id: z.string(), name: z.string(), members: z.array(USER) })
      .transform(({ members }) => members),
  ),
  "sign-ins": nested(
    "sign-ins",
    ({ id, displayName, email, updatedAt, active, seat }) => ({
      id: `s-${id}`,
      userId: id,
      userDisplayName: displayName,
      userEmail: email,
      at: updatedAt,
      device: { active, seat },
    }),
    z
      .object({
        id: z.string().min(1),
        userId: z.string().min(1),
        userDisplayName: z.string().min(1),
        userEmail: z.email(),
        at: z.iso.datetime(),
        device: z.object({ active: z.boolean(), seat: z.int() }),
      })
      .transform((one) => ({
        id: one.userId,
        displayName: one.userDisplayName,
        email: one.userEmail,
        updatedAt: one.at,
        ...one.device,
      })),
  ),
};

/** All users of a listing, each once. */
async function usersOf({ page: ask }: Kind): Promise<readonly User[]> {
  const users = new Map<string, User>();
  const asked = new Set<string | number | undefined>();
  let read = 0;
  let before: number | undefined;
  for (let at: string | number | undefined; ; ) {
    asked.add(at);
    const { users: found, next, total } = await ask(at, read);
    for (const user of found) users.set(user.id, user);
    read += found.length;
    if (total !== (before ?? total)) throw new Error("The total has changed.");
    before = total;
    if (next === undefined) {
      if (total !== undefined && users.size !== total) throw new Error(`Read ${users.size} of ${total}.`);
      return [...users.values()];
    }
    if (asked.has(next)) throw new Error("The next page was there before.");
    at = next;
  }
}

/** Reads the users and writes them to three collections, because the service counts each of these differently. */
const connectorOf = (kind: Kind) =>
  defineConnector({
    snapshots: ["accounts"],
    run: async (batch) => {
      const users = await usersOf(kind);
      await batch.write(
        "accounts",
        users.map(({ id, displayName: name, email, active, seat }) => ({
          id,
          name,
          email,
          active,
          username: `seat-${seat}`,
        })),
      );
      await batch.write(
        "usage",
        users.map(({ id, updatedAt }) => ({ id: `login-${id}`, sourceActorId: id, lastActivity: updatedAt })),
      );
      await batch.write(
        "externallyDiscoveredUsage",
        users.map(({ seat, updatedAt }) => ({ sourceActorId: `seat-${seat}`, lastActivity: updatedAt })),
      );
    },
  });

/** Faults of bytes, keys and connections don't depend on the kind of listing, so only one kind is tested with them. */
const OF_CONNECTIONS = Object.fromEntries(
  ["status-429-retry-after-once", "status-500-once", "reset-once", "cut-once", "truncated-body", "slow-page"]
    .concat("byte-order-mark", "error-shows-key", "token-expired", "clock-behind")
    .map((fault) => [fault, "found with another listing"]),
);

const folder = temporaryFolder();

test.each(Object.entries(KINDS))(
  "calls nothing WRONG in a correct connector for a vendor that lists by %s",
  { timeout: 300_000 },
  async (_, kind) => {
    const cassette = await folder.write("vendor.json", cassetteOf(kind.exchanges));
    const connector = connectorOf(kind);
    const except = kind === KINDS["a token"] ? {} : OF_CONNECTIONS;
    // The guard is off, because it would hold losses and changes no matter who caused them.
    const { faults, notRun } = await testConnector(connector, { cassette, guard: false, except });
    expect(faults.filter(({ verdict }) => verdict === "WRONG")).toEqual([]);
    expect(notRun.filter(({ reason }) => reason.includes("error of the kit"))).toEqual([]);
    const only = ["last-page-lost", "list-empty", "field-null", "other-tenant-in-some"];
    const guarded = await testConnector(connector, { cassette, only });
    expect(guarded.faults.filter(({ verdict }) => verdict === "WRONG")).toEqual([]);
  },
);

test.each([
  ["an offset", (index: number) => `limit=10&offset=${index * 10}`],
  ["an escaped name", (index: number) => `page%5Blimit%5D=10&page%5Boffset%5D=${index * 10}`],
  ["the number of a page", (index: number) => `page=${index + 1}&per_page=3`],
])("adds pages at addresses where the page size equals %s", async (_, queryOf) => {
  const kind = addressed(queryOf);
  const cassette = await folder.write("vendor.json", cassetteOf(kind.exchanges));
  const only = ["page-size-halved"];
  const { faults } = await testConnector(connectorOf(kind), { cassette, only, guard: false });
  expect(faults).toMatchObject([{ verdict: "same" }]);
});
