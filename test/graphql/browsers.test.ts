import { SaasManagementClient } from "@saas-management/sdk";
import { ConfigurationError, GraphQLClient, TransportError } from "@saas-management/sdk/graphql";
import { afterEach, expect, test, vi } from "vitest";
import { API_KEY, connectClient } from "../support/http-client.js";
import { answer } from "../support/http-server.js";
import { rejection } from "../support/promises.js";
import { testService } from "../support/test-service.js";

const service = testService();

const OPEN = { authorization: "none" } as const;
const PAGE = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

afterEach(() => vi.unstubAllGlobals());

/** Makes this process look like a browser page. */
function openPage(address: string): void {
  vi.stubGlobal("location", new URL(address));
}

/** Replaces AbortController and AbortSignal, as jsdom does. */
function replaceSignals() {
  const Native = AbortSignal;
  class ForeignSignal extends EventTarget {
    aborted = false;
    reason: unknown;
    throwIfAborted() {
      if (this.aborted) throw this.reason;
    }
  }
  class ForeignController {
    readonly signal = new ForeignSignal();
    abort(reason: unknown) {
      Object.assign(this.signal, { aborted: true, reason }).dispatchEvent(new Event("abort"));
    }
  }
  vi.stubGlobal("AbortController", ForeignController);
  vi.stubGlobal("AbortSignal", ForeignSignal);
  return Native;
}

test.each<[string, (client: GraphQLClient) => Promise<unknown>]>([
  ["a list", (client) => client.applications().toArray()],
  ["a list with a signal", (client) => client.licenses({ signal: new AbortController().signal }).toArray()],
  [
    "pages of a document of its own",
    (client) =>
      client.paginate("query ($first: Int, $after: String) { a }", {}, { select: () => PAGE }).toArray(),
  ],
  ["a request", (client) => client.request("{ ok }", {}, { signal: new AbortController().signal })],
  ["a mutation", (client) => client.request("mutation { ok }", {}, { retry: false })],
])("gives fetch a signal of the platform where jsdom replaced the globals: %s", async (_, use) => {
  const Native = replaceSignals();
  const signals: unknown[] = [];
  const client = new GraphQLClient({
    baseUrl: "https://api.example.com",
    apiKey: API_KEY,
    fetch: async (_url, init) => {
      signals.push(init?.signal);
      return Response.json({ data: { applications: PAGE, licenses: PAGE, ok: true } });
    },
  });
  await use(client);
  expect(signals).toEqual([expect.any(Native)]);
  await client.close();
});

test("a signal of jsdom aborts the request on the server too, with its own reason", async () => {
  replaceSignals();
  const { client, server } = await connectClient(() => {});
  const abort = new AbortController();
  const error = rejection(client.applications({ signal: abort.signal }).toArray());
  await server.arrived(1);
  abort.abort("left the page");
  expect(await error).toBe("left the page");
  await server.requests[0]?.cancelled;
});

test("a request times out where jsdom replaced the globals", async () => {
  replaceSignals();
  const { client, clock, server } = await connectClient(() => {}, { timeoutMs: 1000 });
  const error = rejection(client.applications().toArray());
  await server.arrived(1);
  clock.advance(1000);
  expect(await error).toMatchObject({ code: "TIMEOUT" });
  await server.requests[0]?.cancelled;
});

/** What a client gives to fetch. */
async function sent(options: Partial<ConstructorParameters<typeof GraphQLClient>[0]>) {
  const calls: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const client = new GraphQLClient({
    baseUrl: "/api",
    authorization: "none",
    fetch: async (url, init) => {
      calls.push({ url: String(url), init });
      return Response.json({ data: { ok: true } });
    },
    ...options,
  });
  await client.request("{ ok }", {});
  return calls[0];
}

test('sends no Authorization with authorization "none"', async () => {
  const { client, server } = await connectClient(answer({ data: { ok: true } }), {
    apiKey: undefined,
    authorization: "none",
  });
  await client.request("{ ok }", {});
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test('the Sync API also sends no credential with authorization "none"', async () => {
  const sync = service.syncClient({ authorization: "none" });
  await expect(sync.startBatch({ installationId: service.installationId })).rejects.toMatchObject({
    code: "AUTHENTICATION_FAILED",
    serverMessage: expect.stringMatching(/missing|credential|key/i),
  });
});

test.each([
  ["https://portal.example.com/licenses?page=2#top", "https://portal.example.com/api/graphql"],
  ["http://portal.example.com:8080/", "http://portal.example.com:8080/api/graphql"],
])("resolves a relative baseUrl against the page %s", async (page, url) => {
  openPage(page);
  expect((await sent({}))?.url).toBe(url);
});

test.each(["//evil.example.com", "/\\evil.example.com", "api", "./api", "/api?key=1"])(
  "refuses %j as a relative baseUrl",
  (baseUrl) => {
    openPage("https://portal.example.com");
    expect(() => new GraphQLClient({ baseUrl, authorization: "none" })).toThrow(ConfigurationError);
  },
);

test.each([
  ["GraphQLClient", (baseUrl: string) => new GraphQLClient({ baseUrl, ...OPEN })],
  ["SaasManagementClient", (baseUrl: string) => new SaasManagementClient({ baseUrl, ...OPEN }).graphql],
])(
  "%s outside of a page refuses a relative baseUrl at the first request, so that a server can render",
  async (_, create) => {
    const refusal = {
      code: "INVALID_CONFIGURATION",
      message: "baseUrl is relative, and only a page in a browser can resolve it. Set an absolute URL.",
    };
    const client = create("/api");
    expect(await rejection(client.licenses().firstPage())).toMatchObject(refusal);
    openPage("about:blank");
    expect(await rejection(client.request("{ ok }", {}))).toMatchObject(refusal);
    openPage("http://portal.example.com");
    const withKey = () => new GraphQLClient({ baseUrl: "/api", apiKey: API_KEY });
    expect(withKey).toThrow('A page without https:// needs authorization: "none".');
  },
);

test("a client resolves paths against a page that opens later, but sends no key unencrypted", async () => {
  const fetched: string[] = [];
  const fetch = async (url: unknown) => {
    fetched.push(String(url));
    return Response.json({ data: {} });
  };
  const client = new GraphQLClient({ baseUrl: "/api", authorization: "none", fetch });
  const withKey = new GraphQLClient({ baseUrl: "/api", apiKey: API_KEY, fetch });
  openPage("http://portal.example.com/licenses");
  await client.request("{ ok }", {});
  expect(await rejection(withKey.request("{ ok }", {}))).toBeInstanceOf(ConfigurationError);
  expect(fetched).toEqual(["http://portal.example.com/api/graphql"]);
});

test("sends a key unencrypted to loopback only, even from a page", () => {
  const create = () => new GraphQLClient({ baseUrl: "/api", apiKey: API_KEY });
  openPage("http://portal.example.com");
  expect(create).toThrow(ConfigurationError);
  openPage("http://127.0.0.1:5173");
  expect(create).not.toThrow();
});

test("refuses a string as apiKey in a page, unless it is on localhost or an option allows it", () => {
  const create = (options: object) => () => new GraphQLClient({ baseUrl: "/api", ...options });
  openPage("https://portal.example.com");
  expect(create({ apiKey: API_KEY })).not.toThrow();
  vi.stubGlobal("document", {});
  expect(create({ apiKey: API_KEY })).toThrow(ConfigurationError);
  expect(create({ apiKey: API_KEY, dangerouslyAllowBrowser: true })).not.toThrow();
  expect(create({ apiKey: () => API_KEY })).not.toThrow();
  expect(create({ authorization: () => API_KEY })).not.toThrow();
  for (const page of ["http://localhost:5173", "http://127.0.0.1:5173", "http://[::1]:5173"]) {
    openPage(page);
    expect(create({ apiKey: API_KEY })).not.toThrow();
  }
  // jsdom's document, without a global location.
  vi.stubGlobal("location", undefined);
  vi.stubGlobal("document", { location: new URL("http://localhost:3000") });
  expect(create({ apiKey: API_KEY })).not.toThrow();
});

test("passes credentials to fetch, and nothing if the option is not set", async () => {
  openPage("https://portal.example.com");
  expect((await sent({ credentials: "include" }))?.init).toHaveProperty("credentials", "include");
  expect((await sent({}))?.init).not.toHaveProperty("credentials");
  expect(() => new GraphQLClient(JSON.parse('{ "baseUrl": "/a", "credentials": "all" }'))).toThrow(
    ConfigurationError,
  );
});

test("mentions CORS for a failure that a browser doesn't explain, if the origins differ", async () => {
  openPage("https://portal.example.com");
  const failing = (baseUrl: string) =>
    new GraphQLClient({
      baseUrl,
      authorization: "none",
      retry: false,
      fetch: async () => {
        throw new TypeError("Failed to fetch");
      },
    });
  const error = await rejection(failing("https://api.example.com").licenses().firstPage());
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ retryable: true, message: expect.stringContaining("(CORS)") });
  expect(await rejection(failing("/api").licenses().firstPage())).toMatchObject({
    message: expect.not.stringContaining("CORS"),
  });
});
