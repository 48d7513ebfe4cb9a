import { type Crowd, type Misbehaviour, times, write } from "./crowd.js";

const MEBIBYTE = 1024 * 1024;

function post(body: string, key = ""): string {
  const authorization = key === "" ? "" : `Authorization: ${key}\r\n`;
  return `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${authorization}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const CHUNKED = "POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const query = (text: string) => JSON.stringify({ query: text });
const TOTAL = "applications { totalCount }";

const LAUGHS = Array.from(
  { length: 20 },
  (_, i) => `fragment f${i} on Query { ...f${i + 1} x${i}: __typename ...f${i + 1} }`,
).join(" ");
/** Queries that are short to write and long to answer, or to check. */
const BOMBS = [
  `query Q { ...f0 ...f0 } ${LAUGHS} fragment f20 on Query { __typename }`,
  `{ ${Array.from({ length: 26 }, (_, i) => `a${i}: applications(first: 1000) { totalCount }`).join(" ")} }`,
  `{ applications { nodes { ${"id ".repeat(2000)} } } }`,
  "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }",
  `{ __typename ${"@a ".repeat(4900)} }`,
  `{ ${"__typename ".repeat(20_000)} }`,
  `${"{ a ".repeat(3000)}${"}".repeat(3000)}`,
];

const DEEP = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
const BODIES = [
  `{"query":"{ ${TOTAL} }","variables":${DEEP}}`,
  `{"query":"{ ${TOTAL} }","variables":{"a":${DEEP}}}`,
  `[${Array.from({ length: 3000 }, () => query(`{ ${TOTAL} }`)).join()}]`,
  `{"query":"{ ${TOTAL} }","variables":{"__proto__":${JSON.stringify("x".repeat(MEBIBYTE / 2))}}}`,
];

const graphQL = (crowd: Crowd, text: string) => crowd.say(crowd.server.baseUrl, text);

/** What can be done to the port of the GraphQL API. */
export const GRAPHQL: readonly Misbehaviour[] = [
  {
    name: "requests without a key, a hundred in one go",
    act: (crowd) => times(3, () => graphQL(crowd, post(query(`{ ${TOTAL} }`)).repeat(100))),
  },
  {
    name: "connections that say half a request",
    act: (crowd) => {
      const halves = ["", "POST /gra", "POST /graphql HTTP/1.1\r\nHost: a\r\n", `${CHUNKED}100000\r\nx`];
      return times(240, (i) => graphQL(crowd, halves[i % halves.length] ?? ""));
    },
  },
  {
    name: "slow clients that send their headers and bodies byte by byte",
    act: async (crowd) => {
      const sockets = await Promise.all(
        Array.from({ length: 30 }, (_, i) => graphQL(crowd, i % 2 === 0 ? "POST /graphql HT" : CHUNKED)),
      );
      for (const byte of "1\r\nx\r\n1\r\nx\r\n") {
        for (const socket of sockets) await write(socket, byte);
        await crowd.server.quiet();
      }
    },
  },
  {
    name: "large headers, and many of them",
    act: async (crowd) => {
      await graphQL(crowd, `POST /graphql HTTP/1.1\r\nX: ${"x".repeat(MEBIBYTE)}\r\n\r\n`);
      await graphQL(crowd, `POST /graphql HTTP/1.1\r\n${"X: y\r\n".repeat(20_000)}\r\n`);
    },
  },
  {
    name: "bodies of 8 MiB without a key",
    act: (crowd) =>
      times(2, (i) =>
        graphQL(
          crowd,
          i % 2 === 0 ? post("x".repeat(8 * MEBIBYTE)) : CHUNKED + chunk("x".repeat(MEBIBYTE)).repeat(8),
        ),
      ),
  },
  {
    name: "bodies in pieces of one byte that are never finished",
    // A list of the pieces took a hundred times what came.
    heldBytes: MEBIBYTE,
    act: (crowd) => graphQL(crowd, CHUNKED + chunk("x").repeat(40_000)),
  },
  {
    name: "queries that are short to write and long to answer",
    act: (crowd) => graphQL(crowd, BOMBS.map((bomb) => post(query(bomb), crowd.server.apiKey)).join("")),
  },
  {
    name: "JSON that is nested 200,000 deep, lists of requests, and large variables",
    act: (crowd) => times(BODIES.length, (i) => graphQL(crowd, post(BODIES[i] ?? "", crowd.server.apiKey))),
  },
];
