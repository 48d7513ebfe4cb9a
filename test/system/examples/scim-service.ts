import { createServer } from "node:http";
import { onLoopback } from "../../support/tcp-peers.js";

export const USERS = 230;
export const GROUPS = 12;

const users = Array.from({ length: USERS }, (_, n) => ({
  id: `u-${n}`,
  userName: `person.${n}`,
  displayName: `Person ${n}`,
  active: n % 10 !== 0,
  emails: [{ value: `old.${n}@example.com` }, { value: `Person.${n}@example.com`, primary: true }],
}));
const groups = Array.from({ length: GROUPS }, (_, n) => ({
  id: `g-${n}`,
  displayName: `Team ${n}`,
  members: users
    .filter((_, user) => user % GROUPS === n)
    .map(({ id }) => ({ value: id, type: "User" }))
    .concat(n === 1 ? [{ value: "g-0", type: "Group" }] : []),
}));

const all = { Users: users, Groups: groups };
type Resource = keyof typeof all;

/** Answers a path such as `Users?startIndex=1` or `Groups/g-0`. */
export type Answer = (resource: Resource, query: URLSearchParams, id?: string) => object;

function page(items: readonly object[], query: URLSearchParams, size = 50) {
  const start = Number(query.get("startIndex"));
  const Resources = items.slice(start - 1, start - 1 + Math.min(size, Number(query.get("count"))));
  return { totalResults: items.length, startIndex: start, itemsPerPage: Resources.length, Resources };
}

export const asSpecified: Answer = (resource, query, id) =>
  id === undefined ? page(all[resource], query) : (all[resource].find((one) => one.id === id) ?? {});

const withoutMembers = (empty?: boolean) =>
  groups.map(({ members: _, ...group }) => (empty === true ? { ...group, members: [] } : group));

/** Quirks of services that claim to speak SCIM 2.0, and whether everything can still be read. */
export const SERVICES: readonly (readonly [what: string, answer: Answer, whole: boolean])[] = [
  ["answers as RFC 7644 says", asSpecified, true],
  [
    "omits members in lists of groups",
    (resource, query, id) =>
      resource === "Groups" && id === undefined
        ? page(withoutMembers(), query)
        : asSpecified(resource, query, id),
    true,
  ],
  [
    "lists groups with members: []",
    (resource, query, id) =>
      resource === "Groups" && id === undefined
        ? page(withoutMembers(true), query)
        : asSpecified(resource, query, id),
    true,
  ],
  [
    "never tells members, and answers a group with a list",
    (resource, query) => page(resource === "Groups" ? withoutMembers() : users, query),
    false,
  ],
  ["has smaller pages than were asked for", (resource, query) => page(all[resource], query, 7), true],
  [
    "counts the items of the page as totalResults",
    (resource, query) => {
      const listed = page(all[resource], query);
      return { ...listed, totalResults: listed.Resources.length };
    },
    true,
  ],
  [
    "ignores startIndex",
    (resource, query) => {
      const Resources = all[resource].slice(0, Math.min(50, Number(query.get("count"))));
      return { totalResults: Resources.length, startIndex: 1, Resources };
    },
    false,
  ],
  [
    "counts startIndex from 0",
    (resource, query) => {
      const start = Number(query.get("startIndex"));
      const Resources = all[resource].slice(start, start + 100);
      return { totalResults: all[resource].length, startIndex: start, Resources };
    },
    false,
  ],
  [
    "gives active as text",
    (resource, query) =>
      page(resource === "Users" ? users.map((user) => ({ ...user, active: "True" })) : groups, query),
    false,
  ],
  ["answers an error with 200", () => ({ status: "500", detail: "x" }), false],
  ["lists no users", (resource, query) => page(resource === "Users" ? [] : groups, query), false],
  [
    "ends the list of users early",
    (resource, query) => {
      const listed = page(all[resource], query);
      return Number(query.get("startIndex")) > 100 ? { ...listed, Resources: [] } : listed;
    },
    false,
  ],
  [
    "lists the users of one department",
    (resource, query) => page(resource === "Users" ? users.slice(0, 40) : groups, query),
    false,
  ],
];

/** A SCIM service on loopback, for all tests of a file. */
export function scimService(): { readonly url: string; answer: Answer } {
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const [, , resource = "", id] = pathname.split("/");
    response.statusCode = headers.authorization === "Bearer scim-token" ? 200 : 401;
    response.setHeader("content-type", "application/scim+json");
    const own = resource === "Users" || resource === "Groups" ? resource : "Users";
    response.end(JSON.stringify(service.answer(own, searchParams, id)));
  });
  const peer = onLoopback(server);
  const service = {
    get url() {
      return `http://127.0.0.1:${peer.port}/scim`;
    },
    answer: asSpecified,
  };
  return service;
}
