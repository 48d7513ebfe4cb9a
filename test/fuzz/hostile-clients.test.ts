import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectService } from "../support/expect-service.js";
import { PlainClient, refused } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";

const MEBIBYTE = 1024 * 1024;
const RECORDS_PATH = "/saas_management.sync.v1.SyncService/SyncRecords";

let server: ReferenceServer;
let sockets: Socket[] = [];
let sessions: ClientHttp2Session[] = [];
beforeEach(async () => {
  server = await startReferenceServer();
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const session of sessions) session.destroy();
  sockets = [];
  sessions = [];
  await server.close();
});

async function open(url: string, hello: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(hello);
  return socket;
}

async function session(): Promise<ClientHttp2Session> {
  const opened = connectHttp2(server.syncUrl);
  sessions.push(opened);
  opened.on("error", () => {});
  await once(opened, "connect");
  return opened;
}

function call(opened: ClientHttp2Session, path: string, authorization: string) {
  const stream = opened.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization,
  });
  stream.on("error", () => {});
  stream.resume();
  return stream;
}

describe("the reference server goes on serving others", { timeout: 120_000 }, () => {
  it("while 200 clients say half a request and no more", async () => {
    for (let i = 0; i < 100; i += 1) {
      await open(server.baseUrl, "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n");
      await open(server.syncUrl, i % 2 === 0 ? "PRI * HTTP/2.0\r\n\r\n" : "GET / HTTP/1.1\r\n\r\n");
    }
    await expectService(server);
  });

  it("while calls without a key come in by the hundred, each of which is refused", async () => {
    const stranger = new PlainClient(server.syncUrl, "ApiKey nobody");
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => refused(stranger.start(server.installationId))),
    );
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(["UNAUTHENTICATED"]));
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const body = JSON.stringify({ query: "{ applications { totalCount } }" });
        const headers = { "content-type": "application/json", authorization: "nobody" };
        return (await fetch(`${server.baseUrl}/graphql`, { method: "POST", headers, body })).text();
      }),
    );
    for (const answer of answers) expect(answer).toContain("AUTH_NOT_AUTHORIZED");
    await expectService(server);
  });

  it("while streams are opened, and neither fed nor ended", async () => {
    const opened = await session();
    const key = `ApiKey ${server.apiKey}`;
    for (let i = 0; i < 90; i += 1) call(opened, RECORDS_PATH, key).write(Buffer.from([0, 0, 0]));
    await expectService(server);
  });

  it("and refuses messages of another's batch, or of two in one stream", async () => {
    const { installationId, apiKey } = server;
    const own = new PlainClient(server.syncUrl, `ApiKey ${apiKey}`);
    const other = server.createWorkspace("Other");
    const key = server.createApiKey({
      workspace: other,
      scope: "read-write",
      permissions: ["integration:sync"],
    });
    const stranger = new PlainClient(server.syncUrl, `ApiKey ${key}`);
    const batchId = await own.start(installationId);
    expect(await refused(stranger.write(batchId, accounts("evil")))).toMatchObject({
      code: "PERMISSION_DENIED",
    });
    expect(await refused(stranger.complete(batchId))).toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await refused(stranger.abort(batchId))).toMatchObject({ code: "PERMISSION_DENIED" });
    const second = await own.start(server.createInstallation({}));
    const mixed = own.open().send(batchId, accounts("u1")).send(second, accounts("u2"));
    expect(await refused(mixed.end())).toMatchObject({ code: "INVALID_ARGUMENT" });
    await own.complete(batchId);
    const { snapshots } = server.inspect(installationId);
    expect(snapshots.accounts.map(({ id }) => id)).toEqual(["u1"]);
  });

  it("and refuses 16 MiB of garbage, and a length that is a lie", async () => {
    const client = new PlainClient(server.syncUrl, `ApiKey ${server.apiKey}`);
    const garbage = Buffer.alloc(16 * MEBIBYTE - 1, 0xab);
    expect(await refused(client.open().sendRaw(garbage).end())).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(
      await refused(
        client
          .open()
          .sendRaw(Buffer.alloc(16 * MEBIBYTE))
          .end(),
      ),
    ).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
    const stream = call(await session(), RECORDS_PATH, `ApiKey ${server.apiKey}`);
    const ended = once(stream, "close");
    stream.end(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
    await ended;
    await expectService(server);
  });

  it("while settings and pings come in by the thousand", async () => {
    const opened = await session();
    for (let i = 0; i < 2000 && !opened.destroyed; i += 1) {
      if (i % 2 === 0) opened.ping(() => {});
      else opened.settings({ initialWindowSize: 65_535 + i }, () => {});
    }
    await expectService(server);
  });

  it("and refuses a query whose fields are many more than its letters", async () => {
    const laughs = Array.from(
      { length: 20 },
      (_, i) => `fragment f${i} on Query { ...f${i + 1} x${i}: __typename ...f${i + 1} }`,
    );
    const bomb = `query Q { ...f0 ...f0 } ${laughs.join(" ")} fragment f20 on Query { __typename }`;
    const aliases = `{ ${Array.from({ length: 26 }, (_, i) => `a${i}: applications(first: 1000) { totalCount }`).join(" ")} }`;
    const repeated = `{ applications { nodes { ${"id ".repeat(2000)} } } }`;
    for (const query of [bomb, aliases, repeated]) {
      const response = await fetch(`${server.baseUrl}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: server.apiKey },
        body: JSON.stringify({ query }),
      });
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: "VALIDATION_TOO_COSTLY" } }],
      });
    }
    await expectService(server);
  });

  it("and answers what is short to write and long to check", async () => {
    const total = "applications { totalCount }";
    const chain = Array.from({ length: 1200 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} }`).join(
      " ",
    );
    const bodies: readonly (readonly [string, string])[] = [
      ["fragments in a circle", `{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }`],
      ["a fragment that nobody uses", `{ ${total} } fragment a on Query { ${"__typename ".repeat(9900)} }`],
      ["a long chain of fragments", `{ ...f0 } ${chain} fragment f1200 on Query { __typename }`],
      ["a page of everything", "{ applications(first: 2147483647) { totalCount } }"],
      ["directives that are none", `{ __typename ${"@a ".repeat(4900)} }`],
      ["more tokens than allowed", `{ ${"__typename ".repeat(20_000)} }`],
    ];
    const ask = async (body: string): Promise<unknown> => {
      const headers = { "content-type": "application/json", authorization: server.apiKey };
      return (await fetch(`${server.baseUrl}/graphql`, { method: "POST", headers, body })).json();
    };
    for (const [what, query] of bodies) {
      const answer = await ask(JSON.stringify({ query }));
      if (what === "a long chain of fragments") expect(answer).toEqual({ data: { __typename: "Query" } });
      else expect([what, answer]).toEqual([what, expect.objectContaining({ errors: expect.anything() })]);
    }
    const list = Array.from({ length: 5000 }, () => ({ query: `{ ${total} }` }));
    const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
    for (const body of [
      JSON.stringify(list),
      `{"query":"{ ${total} }","variables":${deep}}`,
      `{"query":"{ ${total} }","variables":{"a":${deep}}}`,
      JSON.stringify({ query: `{ ${total} }`, variables: { __proto__: 1, a: "x".repeat(2 * MEBIBYTE) } }),
    ]) {
      expect(await ask(body)).toMatchObject({ errors: expect.anything() });
    }
    await expectService(server);
  });
});
