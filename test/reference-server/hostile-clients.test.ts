import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { expect, onTestFinished, test } from "vitest";
import { expectService } from "../support/expect-service.js";
import { PlainClient, refused } from "../support/grpc-client.js";
import { post } from "./graphql-setup.js";

const MEBIBYTE = 1024 * 1024;
const RECORDS_PATH = "/saas_management.sync.v1.SyncService/SyncRecords";

async function start(): Promise<ReferenceServer> {
  const server = await startReferenceServer();
  onTestFinished(() => server.close());
  return server;
}

async function send(url: string, text: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(text);
}

async function openStreams({ syncUrl, apiKey }: ReferenceServer, count: number) {
  const session = connectHttp2(syncUrl);
  onTestFinished(() => session.destroy());
  await once(
    session.on("error", () => {}),
    "connect",
  );
  return Array.from({ length: count }, () => {
    const stream = session.request({
      ":method": "POST",
      ":path": RECORDS_PATH,
      "content-type": "application/grpc",
      te: "trailers",
      authorization: `ApiKey ${apiKey}`,
    });
    return stream.on("error", () => {}).resume();
  });
}

test("serves others while 100 clients send half a request", async () => {
  const server = await start();
  for (let i = 0; i < 50; i += 1) {
    await send(server.baseUrl, "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n");
    await send(server.syncUrl, i % 2 === 0 ? "PRI * HTTP/2.0\r\n\r\n" : "GET / HTTP/1.1\r\n\r\n");
  }
  await expectService(server);
});

test("refuses a hundred calls without a key and serves others", async () => {
  const server = await start();
  const stranger = new PlainClient(server.syncUrl, "ApiKey nobody");
  const calls = Array.from({ length: 100 }, () => refused(stranger.start(server.installationId)));
  expect(new Set((await Promise.all(calls)).map(({ code }) => code))).toEqual(new Set(["UNAUTHENTICATED"]));
  await expectService(server);
});

test("serves others while 90 streams are neither used nor ended", async () => {
  const server = await start();
  for (const stream of await openStreams(server, 90)) stream.write(Buffer.from([0, 0, 0]));
  await expectService(server);
});

test("refuses garbage, oversized messages and wrong lengths, and serves others", async () => {
  const server = await start();
  const client = new PlainClient(server.syncUrl, `ApiKey ${server.apiKey}`);
  for (const [size, code] of [
    [16 * MEBIBYTE - 1, "INVALID_ARGUMENT"],
    [16 * MEBIBYTE, "RESOURCE_EXHAUSTED"],
  ] as const) {
    expect(await refused(client.open().sendRaw(Buffer.alloc(size, 0xab)).end())).toMatchObject({ code });
  }
  for (const stream of await openStreams(server, 1)) {
    const closed = once(stream, "close");
    stream.end(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
    await closed;
  }
  await expectService(server);
});

const total = "applications { totalCount }";

test("answers hostile documents and variables with errors and serves others", async () => {
  const server = await start();
  const { headers } = post("", server.apiKey);
  const documents = {
    "fragments in a circle": "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }",
    "an unused fragment": `{ ${total} } fragment a on Query { ${"__typename ".repeat(100)} }`,
    "a page of everything": "{ applications(first: 2147483647) { totalCount } }",
    "unknown directives": `{ __typename ${"@a ".repeat(2000)} }`,
    "nested selections": "{ a ".repeat(3000) + "}".repeat(3000),
  };
  const bodies = {
    ...Object.fromEntries(
      Object.entries(documents).map(([what, query]) => [what, JSON.stringify({ query })]),
    ),
    "variables that are a list of lists": `{"query":"{ ${total} }","variables":${nested(200_000)}}`,
    "a list of requests": JSON.stringify(Array.from({ length: 2000 }, () => ({ query: `{ ${total} }` }))),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const response = await fetch(`${server.baseUrl}/graphql`, { method: "POST", headers, body });
    expect(await response.json(), what).toMatchObject({ errors: expect.anything() });
  }
  await expectService(server);
});

function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}
