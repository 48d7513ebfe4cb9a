import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { SyncServiceService } from "../../src/sync/generated/contract.js";
import { refused } from "../support/grpc-client.js";
import { accounts as syncAccounts, testService } from "../support/test-service.js";

const MEBIBYTE = 1024 * 1024;
const RECORDS_PATH = SyncServiceService.syncRecords.path;
const service = testService();

/** After each test the server serves another client as ever. */
afterEach(async () => {
  const batch = await service.startBatch({ installationId: service.server.createInstallation() });
  expect(await batch.write("accounts", syncAccounts(10))).toMatchObject({ accepted: 10 });
  await batch.complete();
  expect(await service.graphql.licenses().totalCount()).toBe(0);
});

async function open(url: string, hello: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(hello);
}

async function session(): Promise<ClientHttp2Session> {
  const opened = connectHttp2(service.server.syncUrl);
  onTestFinished(() => opened.destroy());
  opened.on("error", () => {});
  await once(opened, "connect");
  return opened;
}

function call(opened: ClientHttp2Session) {
  const stream = opened.request({
    ":method": "POST",
    ":path": RECORDS_PATH,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `ApiKey ${service.server.apiKey}`,
  });
  stream.on("error", () => {});
  return stream.resume();
}

async function post(body: string, authorization = service.server.apiKey): Promise<unknown> {
  const headers = { "content-type": "application/json", authorization };
  return (await fetch(`${service.server.baseUrl}/graphql`, { method: "POST", headers, body })).json();
}

test("the reference server serves others while 200 clients send half a request", async () => {
  const { baseUrl, syncUrl } = service.server;
  for (let i = 0; i < 100; i += 1) {
    await open(baseUrl, "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n");
    await open(syncUrl, i % 2 === 0 ? "PRI * HTTP/2.0\r\n\r\n" : "GET / HTTP/1.1\r\n\r\n");
  }
});

test("the reference server serves others while streams send nothing and never end", async () => {
  const opened = await session();
  for (let i = 0; i < 90; i += 1) call(opened).write(Buffer.from([0, 0, 0]));
});

test("the reference server serves others while settings and pings arrive by the thousand", async () => {
  const opened = await session();
  for (let i = 0; i < 2000 && !opened.destroyed; i += 1) {
    if (i % 2 === 0) opened.ping(() => {});
    else opened.settings({ initialWindowSize: 65_535 + i }, () => {});
  }
});

test("the reference server rejects 16 MiB of garbage, and a false length", async () => {
  const client = service.plainClient();
  const send = (bytes: Buffer) => refused(client.open().sendRaw(bytes).end());
  expect(await send(Buffer.alloc(16 * MEBIBYTE - 1, 0xab))).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(await send(Buffer.alloc(16 * MEBIBYTE))).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  const stream = call(await session());
  const ended = once(stream, "close");
  stream.end(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
  await ended;
});

const TOTAL = "applications { totalCount }";
const DEEP = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;

test.each<[string, string]>([
  [
    "fragments in a circle",
    JSON.stringify({ query: "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }" }),
  ],
  ["unknown directives", JSON.stringify({ query: `{ __typename ${"@a ".repeat(4900)} }` })],
  ["a page of everything", JSON.stringify({ query: "{ applications(first: 2147483647) { totalCount } }" })],
  ["a list of requests", JSON.stringify(Array.from({ length: 5000 }, () => ({ query: `{ ${TOTAL} }` })))],
  ["variables that are nested 400,000 deep", `{"query":"{ ${TOTAL} }","variables":${DEEP}}`],
])("the reference server answers errors to a request with %s", async (_, body) => {
  expect(await post(body)).toMatchObject({ errors: expect.anything() });
});
