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

/** A SCIM service on loopback, for all tests of a file. */
export function scimService(): { readonly url: string } {
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const all = pathname === "/scim/Users" ? users : groups;
    const start = Number(searchParams.get("startIndex")) - 1;
    const Resources = all.slice(start, start + Math.min(50, Number(searchParams.get("count"))));
    response.statusCode = headers.authorization === "Bearer scim-token" ? 200 : 401;
    response.setHeader("content-type", "application/scim+json");
    response.end(JSON.stringify({ totalResults: all.length, startIndex: start + 1, Resources }));
  });
  const peer = onLoopback(server);
  return {
    get url() {
      return `http://127.0.0.1:${peer.port}/scim`;
    },
  };
}
