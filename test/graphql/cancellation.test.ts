import { getEventListeners } from "node:events";
import { ClosedError, GraphQLClient, TimeoutError } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { API_KEY, connectClient, rejection, until } from "../support/http-client.js";
import { json } from "../support/http-server.js";

const QUERY = "query Names { applications { nodes { id } } }";
const never = new Promise<never>(() => {});

function signalAndAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
}

describe("a caller's signal", () => {
  it("that has fired rejects with its reason before anything is sent", async () => {
    const { client, server } = await connectClient(() => {});
    const reason = new Error("changed my mind");
    expect(await rejection(client.request(QUERY, {}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  it("cancels a request that is under way, on the server too, and rejects with its reason", async () => {
    const { client, server } = await connectClient(() => {});
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    await server.arrived(1);
    const reason = { any: "value" };
    abort.abort(reason);
    expect(await error).toBe(reason);
    await server.requests[0]?.cancelled;
  });

  it("is listened to once, however many requests follow it, and not at all after them", async () => {
    const { client, server } = await connectClient((_, response, index) => {
      if (index === 0) json(response, { data: { applications: null } });
    });
    const { signal, abort } = signalAndAbort();
    const requests = Array.from({ length: 20 }, () => client.request(QUERY, {}, { signal }));
    const ends = Promise.allSettled(requests);
    await server.arrived(20);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.race(requests);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    const reason = new Error("enough");
    abort(reason);
    const failed = (await ends).filter((end) => end.status === "rejected");
    expect(failed.map((end): unknown => end.reason)).toEqual(Array.from({ length: 19 }, () => reason));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("cancels while the body is on its way", async () => {
    const { client, server } = await connectClient((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":');
    });
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    await server.arrived(1);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    abort.abort("enough");
    expect(await error).toBe("enough");
  });

  it("ends the pause before the next attempt", async () => {
    const { client, clock, server } = await connectClient((_, response) =>
      json(response, {}, { status: 503 }),
    );
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    await until(() => clock.sleeping === 2);
    abort.abort("enough");
    expect(await error).toBe("enough");
    expect(server.requests).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  it("is heeded while an apiKey function never settles", async () => {
    const { client } = await connectClient(() => {}, { apiKey: () => never });
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    setImmediate(() => abort.abort("enough"));
    expect(await error).toBe("enough");
  });

  it("is heeded with a fetch that does not look at it", async () => {
    const client = new GraphQLClient({
      baseUrl: "https://api.example.com",
      apiKey: API_KEY,
      fetch: () => never,
    });
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    setImmediate(() => abort.abort("enough"));
    expect(await error).toBe("enough");
  });

  it("that fires right after the call keeps a fetch that does not look at it from sending anything", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { ok: true } }), {
      fetch: (url, init) => fetch(url, { ...init, signal: null }),
    });
    // Later ones need nothing to be loaded first.
    await client.request(QUERY);
    const abort = new AbortController();
    const error = rejection(client.request(QUERY, {}, { signal: abort.signal }));
    abort.abort("enough");
    expect(await error).toBe("enough");
    await client.request(QUERY);
    expect(server.requests).toHaveLength(2);
  });

  it("keeps no listener after the call, and the client's time no timer", async () => {
    const { client, clock } = await connectClient((_, response, index) =>
      json(response, index === 0 ? { data: { ok: true } } : {}, { status: index === 0 ? 200 : 400 }),
    );
    const { signal } = new AbortController();
    await client.request(QUERY, {}, { signal });
    await rejection(client.request(QUERY, {}, { signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(clock.sleeping).toBe(0);
  });
});

describe("the time of a request", () => {
  it("ends a request that is not answered with a TimeoutError", async () => {
    const { client, clock, server } = await connectClient(() => {});
    const error = rejection(client.request(QUERY, {}, { timeoutMs: 5_000 }));
    await server.arrived(1);
    clock.advance(5_000);
    expect(await error).toBeInstanceOf(TimeoutError);
    expect(await error).toMatchObject({ timeoutMs: 5_000 });
    expect(String(await error)).toContain("GraphQL query Names");
    await server.requests[0]?.cancelled;
  });

  it("is 100 seconds, its retries included", async () => {
    const { client, clock, server } = await connectClient((_, response, index) => {
      if (index === 0) json(response, {}, { status: 503, headers: { "retry-after": "99" } });
    });
    const error = rejection(client.request(QUERY));
    await until(() => clock.sleeping === 2);
    clock.advance(99_000);
    await server.arrived(2);
    clock.advance(1_000);
    expect(await error).toMatchObject({ code: "TIMEOUT", timeoutMs: 100_000, attempts: 2 });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("must not be %d", async (timeoutMs) => {
    const { client } = await connectClient(() => {});
    expect(await rejection(client.request(QUERY, {}, { timeoutMs }))).toMatchObject({
      code: "INVALID_CONFIGURATION",
    });
  });
});

describe("close", () => {
  it("cancels what is under way, and refuses what comes after", async () => {
    const { client, server } = await connectClient(() => {});
    const error = rejection(client.request(QUERY));
    await server.arrived(1);
    await client.close();
    expect(await error).toBeInstanceOf(ClosedError);
    await server.requests[0]?.cancelled;
    expect(await rejection(client.request(QUERY))).toBeInstanceOf(ClosedError);
    expect(server.requests).toHaveLength(1);
  });

  it("may be called again, and by await using", async () => {
    const { client } = await connectClient(() => {});
    await client.close();
    await client[Symbol.asyncDispose]();
    expect(await rejection(client.request(QUERY))).toBeInstanceOf(ClosedError);
  });
});
