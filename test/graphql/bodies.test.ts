import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import {
  ConfigurationError,
  GraphQLClient,
  type GraphQLOptions,
  TransportError,
} from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY, connectClient, everythingIn, rejection } from "../support/http-client.js";
import { answerText } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const JSON_TYPE = { "content-type": "application/json" };
const MEBIBYTE = 1024 * 1024;

async function dataOf(body: string | Uint8Array, headers?: Readonly<Record<string, string>>) {
  const { client } = await connectClient(answerText(body, { headers: headers ?? {} }), { retry: false });
  return client.request<Record<string, unknown>>(QUERY, {});
}

/** A client with a fetch that needs no network. */
function clientOf(fetch: () => Promise<Response>, options: Partial<GraphQLOptions> = {}) {
  return new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: API_KEY, fetch, ...options });
}

test("reads the body of a fetch that returns Node streams", async () => {
  const text = '{"data":{"a":1}}';
  const client = clientOf(async () =>
    Object.defineProperties(new Response(text, { headers: JSON_TYPE }), {
      body: { value: Readable.from([text]) },
      text: { value: async () => text, writable: true },
    }),
  );
  expect(await client.request(QUERY, {})).toEqual({ a: 1 });
});

test("rejects a body that declares more than maxResponseBytes, and closes its connection", async () => {
  const { client, server } = await connectClient(
    (_, response) =>
      response.writeHead(200, { ...JSON_TYPE, "content-length": String(100 * MEBIBYTE) }).write("{"),
    { maxResponseBytes: MEBIBYTE },
  );
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({
    status: 200,
    contentType: "application/json",
    retryable: false,
    attempts: 1,
  });
  await server.requests[0]?.cancelled;
});

test("accepts 16 MiB by default, but not a byte more", async () => {
  const declaring = (length: number) => async () =>
    new Response('{"data":{"a":1}}', { headers: { ...JSON_TYPE, "content-length": String(length) } });
  expect(await clientOf(declaring(16 * MEBIBYTE)).request(QUERY, {})).toEqual({ a: 1 });
  const error = await rejection(clientOf(declaring(16 * MEBIBYTE + 1)).request(QUERY, {}));
  expect(String(error)).toContain("more than 16777216 bytes");
});

test("measures a compressed body after decompression", async () => {
  const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE, " "));
  expect(bomb.byteLength).toBeLessThan(64 * 1024);
  const { client } = await connectClient(answerText(bomb, { headers: { "content-encoding": "gzip" } }), {
    maxResponseBytes: MEBIBYTE,
  });
  expect(await rejection(client.request(QUERY, {}))).toMatchObject({ code: "TRANSPORT_FAILED", status: 200 });
  const small = gzipSync('{"data":{"ok":1}}');
  const headers = { "content-encoding": "gzip", "content-length": String(small.byteLength) };
  const { client: other } = await connectClient(answerText(small, { headers }), {
    maxResponseBytes: small.byteLength - 1,
  });
  expect(await other.request(QUERY, {})).toEqual({ ok: 1 });
});

test.each(["stream", "text"])("allows exactly maxResponseBytes bytes of a %s", async (kind) => {
  const text = JSON.stringify({ data: { a: "é".repeat(20) } });
  const answer = async () => {
    const response = new Response(text, { headers: JSON_TYPE });
    return kind === "stream" ? response : Object.defineProperty(response, "body", { value: undefined });
  };
  const bytes = Buffer.byteLength(text);
  expect(await clientOf(answer, { maxResponseBytes: bytes }).request(QUERY, {})).toBeDefined();
  const error = await rejection(clientOf(answer, { maxResponseBytes: bytes - 1 }).request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200 });
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "rejects a maxResponseBytes of %d",
  (maxResponseBytes) => {
    expect(() => clientOf(async () => new Response(), { maxResponseBytes })).toThrow(ConfigurationError);
  },
);

test("cancels the body of a fetch that ignores the signal, even if the body begins after the abort", async () => {
  let begin = () => {};
  const { client, server } = await connectClient(
    (_, response, index) => {
      begin = () => void response.writeHead(200, JSON_TYPE).write('{"data":');
      if (index === 0) begin();
    },
    { fetch: (url, init) => fetch(url, { ...init, signal: null }) },
  );
  for (const index of [0, 1]) {
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    await server.arrived(index + 1);
    abort.abort("enough");
    expect(await error).toBe("enough");
    if (index === 1) begin();
    await server.requests[index]?.cancelled;
  }
});

test.each(["utf-8", "UTF8", '"utf-8"', "us-ascii"])("reads a body with the charset %s", async (charset) => {
  const headers = { "content-type": `application/json; charset=${charset}` };
  expect(await dataOf('{"data":{"name":"Zoë"}}', headers)).toEqual({ name: "Zoë" });
});

test.each(["utf-16", "utf-16le", "iso-8859-1", "windows-1252", "nonsense"])(
  "rejects a body with the charset %s",
  async (charset) => {
    const body = Buffer.from('{"data":{"name":"canary"}}', "utf16le");
    const error = await rejection(dataOf(body, { "content-type": `application/json; charset=${charset}` }));
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200, retryable: false });
    expect(everythingIn(error)).not.toContain("canary");
  },
);

test.each([
  ["an invalid byte", [0xff]],
  ["a character cut short", [0xe2, 0x82]],
  ["an encoded surrogate", [0xed, 0xa0, 0x80]],
  ["Latin-1", [0xe9]],
])("rejects a body that is not UTF-8: %s", async (_, bytes) => {
  const body = Buffer.concat([Buffer.from('{"data":{"name":"'), Buffer.from(bytes), Buffer.from('"}}')]);
  expect(await rejection(dataOf(body))).toMatchObject({
    code: "TRANSPORT_FAILED",
    status: 200,
    retryable: false,
  });
});

test("reads a body with a byte order mark, and a body that the network splits within characters", async () => {
  expect(await dataOf('\ufeff{"data":{"ok":true}}')).toEqual({ ok: true });
  const body = Buffer.from('{"data":{"name":"€ and 😀"}}');
  const { client } = await connectClient(async (_, response) => {
    response.writeHead(200, JSON_TYPE);
    for (const byte of body) await new Promise((sent) => response.write(Uint8Array.of(byte), sent));
    response.end();
  });
  expect(await client.request(QUERY, {})).toEqual({ name: "€ and 😀" });
});

const NAMED = '{"data":{"name":"canary, and some more text to compress"}}';
const compressed = gzipSync(NAMED);

test.each([
  ["cut off", compressed.subarray(0, 30)],
  ["damaged", Buffer.concat([compressed.subarray(0, 12), Buffer.alloc(20, 0xff)])],
  ["not compressed", Buffer.from(NAMED)],
])("does not repeat a request whose compressed body is %s: it arrived completely", async (_, body) => {
  const { client, server } = await connectClient(
    answerText(body, { headers: { "content-encoding": "gzip" } }),
  );
  const error = await rejection(client.request(QUERY, {}));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200, retryable: false, attempts: 1 });
  expect(everythingIn(error)).not.toContain("canary");
  expect(server.requests).toHaveLength(1);
});

test("reads values that are nested 100,000 deep, in data and in errors", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  let levels = 0;
  const data = await dataOf(`{"data":{"deep":${deep}}}`);
  for (let value = data["deep"]; Array.isArray(value); [value] = value) levels += 1;
  expect(levels).toBe(100_000);
  const body = `{"data":{"a":1},"errors":[{"message":"${API_KEY}","extensions":{"deep":${deep}}}]}`;
  const error = await rejection(dataOf(body));
  expect(error).toMatchObject({ code: "GRAPHQL_ERRORS", serverMessage: "[redacted]" });
});

test("keeps keys such as __proto__ as own properties and changes no prototype", async () => {
  const value = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":2}';
  const { client } = await connectClient(
    answerText(`{"data":${value},"__proto__":{"errors":[{}]},"errors":[{"extensions":${value}}]}`),
  );
  const { data, errors } = await client.rawRequest(QUERY, {});
  for (const object of [data, errors[0]?.extensions]) {
    expect(Object.keys(Object(object))).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  }
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("reads a count only if it is exact", async () => {
  for (const count of ["1e400", "-1", "1.5", "9007199254740993", '"7"']) {
    const { client } = await connectClient(
      answerText(
        `{"data":{"applications":{"nodes":[],"pageInfo":{"hasNextPage":false},"totalCount":${count}}}}`,
      ),
    );
    expect((await client.applications().firstPage()).totalCount).toBeUndefined();
    expect(await rejection(client.applications().totalCount())).toMatchObject({ code: "INVALID_INPUT" });
  }
});
