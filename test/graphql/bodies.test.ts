import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  ConfigurationError,
  GraphQLClient,
  PermissionDeniedError,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { API_KEY, connectClient, everythingIn, passPause, rejection, until } from "../support/http-client.js";

const QUERY = "query Names { applications { nodes { id } } }";
const JSON_TYPE = { "content-type": "application/json" };
const MEBIBYTE = 1024 * 1024;

type Body = string | Uint8Array;

/** A client whose server answers with this body. */
function answering(body: Body, headers: Readonly<Record<string, string>> = {}, status = 200) {
  return connectClient((_, response) => response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body), {
    retry: false,
  });
}

/** Sends without end, as fast as it is taken. */
function pour(response: ServerResponse, chunk: Body): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}

async function dataOf(body: Body, headers?: Readonly<Record<string, string>>): Promise<unknown> {
  const { client } = await answering(body, headers);
  return client.request(QUERY);
}

async function errorOf(body: Body, headers?: Readonly<Record<string, string>>): Promise<unknown> {
  return rejection(dataOf(body, headers));
}

/** Fetches as node-fetch does: the body is a stream of Node's, and not one of the Web's. */
async function nodeFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const text = await response.text();
  return Object.defineProperties(response, {
    body: { value: Readable.from([text]) },
    text: { value: async () => text, writable: true },
  });
}

describe("a fetch whose body is a stream of Node's", () => {
  it("brings answers as every other does", async () => {
    const { client } = await connectClient(
      (_, response) => response.writeHead(200, JSON_TYPE).end('{"data":{"a":1}}'),
      {
        fetch: nodeFetch,
      },
    );
    expect(await client.request(QUERY)).toEqual({ a: 1 });
  });

  it.each([
    ["redirected", 302, { location: "/other" }, "redirected"],
    ["of another type", 200, { "content-type": "text/html" }, "not answered with JSON"],
    ["too large", 200, { ...JSON_TYPE, "content-length": "64" }, "more than 32 bytes"],
  ])("gives up an answer that is %s", async (_, status, headers, told) => {
    const bodies: unknown[] = [];
    const { client } = await connectClient(
      (_request, response) => response.writeHead(status, headers).end(" ".repeat(64)),
      {
        maxResponseBytes: 32,
        fetch: async (url, init) => {
          const response = await nodeFetch(url, init);
          bodies.push(response.body);
          return response;
        },
      },
    );
    expect(String(await rejection(client.request(QUERY)))).toContain(told);
    expect(bodies).toMatchObject([{ destroyed: true }]);
  });
});

describe("a body that is too large", () => {
  it("is refused by its bytes, also where an engine gives its text alone", async () => {
    const text = JSON.stringify({ data: { a: "\u00e9".repeat(20) } });
    const answer = () =>
      Object.defineProperty(new Response(text, { headers: JSON_TYPE }), "body", { value: undefined });
    for (const [maxResponseBytes, allowed] of [
      [text.length + 19, false],
      [text.length + 20, true],
    ] as const) {
      const { client } = await connectClient(() => {}, { maxResponseBytes, fetch: async () => answer() });
      const outcome = client.request(QUERY);
      if (allowed) expect(await outcome).toBeDefined();
      else expect(String(await rejection(outcome))).toContain("bytes");
    }
  });

  it("is refused by its declared length, and its connection is given up", async () => {
    const { client, server } = await connectClient(
      (_, response) => {
        response.writeHead(200, { ...JSON_TYPE, "content-length": String(100 * MEBIBYTE) });
        response.write("{");
      },
      { maxResponseBytes: MEBIBYTE },
    );
    const error = await rejection(client.request(QUERY));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: 200, contentType: "application/json", retryable: false });
    expect(String(error)).toContain(`${MEBIBYTE} bytes`);
    await server.requests[0]?.cancelled;
  });

  it("is given up where it declares no length and never ends", async () => {
    const { client, server } = await connectClient(
      (_, response) => pour(response.writeHead(200, JSON_TYPE), "[".repeat(65_536)),
      { maxResponseBytes: MEBIBYTE },
    );
    const error = await rejection(client.rawRequest(QUERY));
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200, retryable: false, attempts: 1 });
    expect(String(error)).toContain("maxResponseBytes");
    await server.requests[0]?.cancelled;
  });

  it("is measured after decompression: a small one may hold a large one", async () => {
    const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE, " "));
    expect(bomb.byteLength).toBeLessThan(64 * 1024);
    const { client } = await connectClient(
      (_, response) => response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(bomb),
      { maxResponseBytes: MEBIBYTE },
    );
    expect(await rejection(client.request(QUERY))).toMatchObject({ code: "TRANSPORT_FAILED", status: 200 });
  });

  it("keeps the class that its status means", async () => {
    const { client } = await connectClient(
      (_, response) => pour(response.writeHead(403, JSON_TYPE), " ".repeat(65_536)),
      { maxResponseBytes: MEBIBYTE },
    );
    expect(await rejection(client.request(QUERY))).toBeInstanceOf(PermissionDeniedError);
  });

  it("is one of more bytes than allowed, not of as many", async () => {
    const body = '{"data":{"ok":true}}';
    const within = { maxResponseBytes: body.length };
    const { client, server } = await connectClient(
      (_, response) => response.writeHead(200, JSON_TYPE).end(body),
      within,
    );
    await expect(client.request(QUERY)).resolves.toEqual({ ok: true });
    const stricter = new GraphQLClient({
      baseUrl: server.baseUrl,
      apiKey: API_KEY,
      maxResponseBytes: body.length - 1,
    });
    expect(await rejection(stricter.request(QUERY))).toBeInstanceOf(TransportError);
  });

  it("is given up with a fetch of the user's too, one without streams included", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        cancelled = true;
      },
    });
    const whole = Response.json({ data: { text: "x".repeat(MEBIBYTE) } });
    Object.defineProperty(whole, "body", { value: undefined });
    const answers = [new Response(endless, { headers: JSON_TYPE }), whole];
    const client = new GraphQLClient({
      baseUrl: "https://api.example.com",
      apiKey: API_KEY,
      maxResponseBytes: MEBIBYTE,
      fetch: async () => answers.shift() ?? Response.error(),
    });
    expect(await rejection(client.request(QUERY))).toBeInstanceOf(TransportError);
    expect(cancelled).toBe(true);
    expect(await rejection(client.request(QUERY))).toMatchObject({ code: "TRANSPORT_FAILED", status: 200 });
  });

  it("is not judged by the declared length of its compression", async () => {
    const body = gzipSync('{"data":{"ok":1}}');
    const maxResponseBytes = body.byteLength - 1;
    const { client } = await connectClient(
      (_, response) => {
        const length = String(body.byteLength);
        response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip", "content-length": length });
        response.end(body);
      },
      { maxResponseBytes },
    );
    expect(await client.request(QUERY)).toEqual({ ok: 1 });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("cannot be told by %d", (maxResponseBytes) => {
    const options = { baseUrl: "https://api.example.com", apiKey: API_KEY, maxResponseBytes };
    expect(() => new GraphQLClient(options)).toThrow(ConfigurationError);
  });
});

describe("a body that stalls", () => {
  it("ends with the operation's time, and its connection is given up", async () => {
    const { client, clock, server } = await connectClient((_, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"data":');
    });
    const error = rejection(client.request(QUERY, {}, { timeoutMs: 5_000 }));
    await server.arrived(1);
    await until(() => clock.sleeping > 0);
    clock.advance(5_000);
    expect(await error).toBeInstanceOf(TimeoutError);
    await server.requests[0]?.cancelled;
  });

  it("is cancelled with a fetch that does not look at the signal", async () => {
    let begun = false;
    const cancelled = new Promise<void>((resolve) => {
      const stalled = new ReadableStream<Uint8Array>({
        pull: () => {
          begun = true;
        },
        cancel: () => resolve(),
      });
      const client = new GraphQLClient({
        baseUrl: "https://api.example.com",
        apiKey: API_KEY,
        fetch: async () => new Response(stalled, { headers: JSON_TYPE }),
      });
      const abort = new AbortController();
      client.request(QUERY, {}, { signal: abort.signal }).catch(() => {});
      until(() => begun).then(() => setImmediate(() => abort.abort()));
    });
    await cancelled;
  });
});

describe("a body that begins after its request was given up", () => {
  it("is given up too, with a fetch that does not look at the signal", async () => {
    let begin = () => {};
    const { client, server } = await connectClient(
      (_, response) => {
        begin = () => {
          response.writeHead(200, JSON_TYPE);
          response.write('{"data":');
        };
      },
      { fetch: (url, init) => fetch(url, { ...init, signal: null }) },
    );
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    await server.arrived(1);
    abort.abort("enough");
    expect(await error).toBe("enough");
    begin();
    await server.requests[0]?.cancelled;
  });
});

describe("the characters of a body", () => {
  it.each(["utf-8", "UTF8", '"utf-8"', "us-ascii"])("may be declared as %s", async (charset) => {
    const headers = { "content-type": `application/json; charset=${charset}` };
    await expect(dataOf('{"data":{"name":"Zoë"}}', headers)).resolves.toEqual({ name: "Zoë" });
  });

  it.each(["utf-16", "utf-16le", "iso-8859-1", "windows-1252", "nonsense"])(
    "declared as %s are not guessed",
    async (charset) => {
      const body = Buffer.from('{"data":{"name":"canary"}}', "utf16le");
      const error = await errorOf(body, { "content-type": `application/json; charset=${charset}` });
      expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 200, retryable: false });
      expect(everythingIn(error)).not.toContain("canary");
    },
  );

  it.each([
    ["a byte that there is not", [0xff]],
    ["a character cut short", [0xe2, 0x82]],
    ["a surrogate in bytes", [0xed, 0xa0, 0x80]],
    ["Latin-1", [0xe9]],
  ])("that are not UTF-8 (%s) are refused, not replaced", async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"data":{"name":"'), Buffer.from(bytes), Buffer.from('"}}')]);
    expect(await errorOf(body)).toMatchObject({ code: "TRANSPORT_FAILED", status: 200, retryable: false });
  });

  it("may begin with a byte order mark", async () => {
    await expect(dataOf('\ufeff{"data":{"ok":true}}')).resolves.toEqual({ ok: true });
  });

  it("may be cut by the network anywhere", async () => {
    const body = Buffer.from('{"data":{"name":"€ and 😀"}}');
    const { client } = await connectClient(async (_, response) => {
      response.writeHead(200, JSON_TYPE);
      for (const byte of body) await new Promise((sent) => response.write(Uint8Array.of(byte), sent));
      response.end();
    });
    await expect(client.request(QUERY)).resolves.toEqual({ name: "€ and 😀" });
  });
});

describe("a compressed body", () => {
  const compressed = gzipSync('{"data":{"name":"canary, and some more text to compress"}}');

  it.each([
    ["gzip", compressed],
    ["br", brotliCompressSync('{"data":{"name":"canary, and some more text to compress"}}')],
  ])("is read (%s)", async (encoding, body) => {
    await expect(dataOf(body, { "content-encoding": encoding })).resolves.toHaveProperty("name");
  });

  it.each([
    ["cut off", compressed.subarray(0, 30)],
    ["damaged", Buffer.concat([compressed.subarray(0, 12), Buffer.alloc(20, 0xff)])],
    ["not compressed", Buffer.from('{"data":{"name":"canary"}}')],
  ])(
    "that is %s is a TransportError with the status, and is not asked for again: it arrived whole",
    async (_, body) => {
      const { client, server } = await connectClient((_request, response) =>
        response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(body),
      );
      const error = await rejection(client.request(QUERY));
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ status: 200, retryable: false, attempts: 1 });
      expect(everythingIn(error)).not.toContain("canary");
      expect(server.requests).toHaveLength(1);
    },
  );

  it("that breaks off on its way is asked for again", async () => {
    const headers = { ...JSON_TYPE, "content-encoding": "gzip", "content-length": String(compressed.length) };
    const { client, server, clock } = await connectClient((_, response, index) => {
      response.writeHead(200, headers);
      if (index > 0) response.end(compressed);
      else response.write(compressed.subarray(0, 30), () => response.destroy());
    });
    const data = client.request(QUERY);
    await passPause(clock);
    await expect(data).resolves.toHaveProperty("name");
    expect(server.requests).toHaveLength(2);
  });
});

describe("values of a body", () => {
  it("may be nested 100,000 deep, in data and in errors", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    let levels = 0;
    const data = await dataOf(`{"data":{"deep":${deep}}}`);
    for (let value: unknown = Object(data)["deep"]; Array.isArray(value); [value] = value) levels += 1;
    expect(levels).toBe(100_000);
    const error = await errorOf(`{"data":{"a":1},"errors":[{"message":"m","extensions":{"deep":${deep}}}]}`);
    expect(error).toMatchObject({ code: "GRAPHQL_ERRORS" });
    expect(everythingIn(error).length).toBeLessThan(100_000);
    const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    await expect(dataOf(`{"data":{"deep":${objects}}}`)).resolves.toHaveProperty("deep");
  });

  it("keep keys of a prototype as own properties, and reach no prototype", async () => {
    const value = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":2}';
    const { client } = await answering(
      `{"data":${value},"__proto__":{"errors":[{}]},"errors":[{"message":"m","extensions":${value}}]}`,
    );
    const { data, errors } = await client.rawRequest(QUERY);
    for (const object of [data, errors[0]?.extensions]) {
      expect(Object.keys(Object(object))).toEqual(["__proto__", "constructor", "toString"]);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("that are numbers are JavaScript's: beyond 2^53 inexact, beyond 1.8e308 infinite", async () => {
    const data = await dataOf('{"data":{"big":1152921504606846977,"huge":1e400,"tiny":1e-400,"zero":-0}}');
    expect(data).toEqual({ big: 2 ** 60, huge: Number.POSITIVE_INFINITY, tiny: 0, zero: -0 });
  });

  it("that count are no counts where they are not exact", async () => {
    const page = (count: string) =>
      `{"data":{"applications":{"nodes":[],"pageInfo":{"hasNextPage":false},"totalCount":${count}}}}`;
    for (const count of ["1e400", "-1", "1.5", "9007199254740993", '"7"']) {
      const { client } = await answering(page(count));
      expect((await client.applications().firstPage()).totalCount).toBeUndefined();
      expect(await rejection(client.applications().totalCount())).toMatchObject({ code: "INVALID_INPUT" });
    }
    const { client } = await answering(
      '{"data":{"changeVendorsState":{"updatedCount":1e400,"errors":null}}}',
    );
    const change = client.changeVendorsState({ state: "ARCHIVED" }, "all");
    expect(await rejection(change)).toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("that are texts keep lone surrogates, also on their way back as a cursor", async () => {
    const pages = [
      '{"nodes":[{"id":"\\ud800"}],"pageInfo":{"hasNextPage":true,"endCursor":"c\\udfff"}}',
      '{"nodes":[],"pageInfo":{"hasNextPage":false}}',
    ];
    const { client, server } = await connectClient((_, response, index) =>
      response.writeHead(200, JSON_TYPE).end(`{"data":{"applications":${pages[index]}}}`),
    );
    expect((await client.applications().toArray()).map(({ id }) => id)).toEqual(["\ud800"]);
    expect(server.requests[1]?.body.variables).toMatchObject({ after: "c\udfff" });
  });

  it("of a key that is said twice are those that came last", async () => {
    await expect(dataOf('{"data":{"a":1},"data":{"a":2,"a":3}}')).resolves.toEqual({ a: 3 });
  });
});
