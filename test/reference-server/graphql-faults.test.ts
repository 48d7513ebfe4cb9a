import { describe, expect, test } from "vitest";
import { post, startServer } from "./graphql-setup.js";

const named = "query Names { applications { totalCount } }";
const unnamed = "{ applications { totalCount } }";

test("answers with a status, headers and body", async () => {
  const { faults, url, key } = await startServer();
  const kind = { type: "http", status: 503, headers: { "retry-after": "7" }, body: "busy" } as const;
  faults.add({ api: "graphql", kind });
  const request = () => fetch(url, post(named, key));
  const struck = await request();
  expect([struck.status, struck.headers.get("retry-after"), await struck.text()]).toEqual([503, "7", "busy"]);
  expect((await request()).status).toBe(200);
});

test("lets a fault say the length of its body, and sends none with a status that has none", async () => {
  const { faults, url } = await startServer();
  faults.add({ api: "graphql", kind: { type: "http", status: 204, body: "x" } });
  const empty = await fetch(url, post(named));
  expect([empty.status, empty.headers.get("content-length"), await empty.text()]).toEqual([204, null, ""]);
  faults.add({
    api: "graphql",
    kind: { type: "http", status: 200, headers: { "Content-Length": "2" }, body: "{}}" },
  });
  await expect(fetch(url, post(named)).then((response) => response.text())).resolves.toBe("{}");
});

test("answers with HTML, also to callers without a key", async () => {
  const { faults, url } = await startServer();
  faults.add({ api: "graphql", kind: { type: "html", status: 502 } });
  const response = await fetch(url, post(named));
  expect([response.status, response.headers.get("content-type")]).toEqual([502, "text/html; charset=utf-8"]);
  expect(await response.text()).toContain("<h1>502 Bad Gateway</h1>");
});

test("strikes an operation by its name, and one without a name by its first field", async () => {
  const { faults, send } = await startServer();
  const kind = { type: "http", status: 500, body: "{}" } as const;
  const byName = faults.add({ api: "graphql", operation: "Names", kind });
  const byField = faults.add({ api: "graphql", operation: "applications", kind });
  await send("query Others { applications { totalCount } }");
  expect([byName.firings, byField.firings]).toEqual([0, 0]);
  await send(named);
  expect([byName.firings, byField.firings]).toEqual([1, 0]);
  await send(unnamed);
  expect([byName.firings, byField.firings]).toEqual([1, 1]);
});

describe("drops the connection", () => {
  const create = 'mutation { createProcurementCase(input: { name: "n" }) { case { id } } }';

  test("before the request is carried out", async () => {
    const { faults, send, workspace } = await startServer();
    faults.add({ api: "graphql", kind: { type: "drop" } });
    await expect(send(create)).rejects.toThrow("fetch failed");
    expect(workspace.procurementCases.size).toBe(0);
    await send(create);
    expect(workspace.procurementCases.size).toBe(1);
  });

  test("after the request was carried out", async () => {
    const { faults, send, workspace } = await startServer();
    faults.add({ api: "graphql", kind: { type: "drop", at: "answer" } });
    await expect(send(create)).rejects.toThrow("fetch failed");
    expect(workspace.procurementCases.size).toBe(1);
  });
});

describe("delays a request", () => {
  const sleeping = async (clock: { readonly sleeping: number }, count: number): Promise<void> => {
    while (clock.sleeping !== count) await new Promise((resolve) => setImmediate(resolve));
  };

  test("by the server's clock", async () => {
    const { faults, send, clock } = await startServer();
    faults.add({ api: "graphql", kind: { type: "delay", ms: 60_000 } });
    const answer = send<{ applications: { totalCount: number } }>(unnamed);
    await sleeping(clock, 1);
    clock.advance(60_000);
    expect((await answer).data.applications.totalCount).toBe(0);
  });

  test("whose key is revoked meanwhile, and then refuses it", async () => {
    const { faults, send, clock, keys, key } = await startServer();
    faults.add({ api: "graphql", kind: { type: "delay", ms: 1000 } });
    const answer = send(unnamed);
    await sleeping(clock, 1);
    keys.revoke(key);
    clock.advance(1000);
    expect((await answer).status).toBe(401);
  });

  test("and forgets it when the caller leaves", async () => {
    const { faults, url, clock, key } = await startServer();
    faults.add({ api: "graphql", kind: { type: "delay", ms: 1000 } });
    const caller = new AbortController();
    const request = fetch(url, {
      ...post(unnamed, key),
      signal: caller.signal,
    });
    await sleeping(clock, 1);
    caller.abort();
    await expect(request).rejects.toThrow("aborted");
    await sleeping(clock, 0);
  });

  test("and then strikes it with the next fault", async () => {
    const { faults, send, clock } = await startServer();
    faults.add({ api: "graphql", kind: { type: "delay", ms: 1000 } });
    faults.add({ api: "graphql", kind: { type: "http", status: 504, body: "{}" } });
    const answer = send(unnamed);
    await sleeping(clock, 1);
    clock.advance(1000);
    expect((await answer).status).toBe(504);
  });
});

test("closes while a request is being delayed, and may be closed twice", async () => {
  const { faults, send, clock, server } = await startServer();
  faults.add({ api: "graphql", kind: { type: "delay", ms: 1000 } });
  const answer = send(unnamed).catch((error: Error) => error.message);
  while (clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([server.close(), server.close()]);
  expect(await answer).toBe("fetch failed");
  await expect(send(unnamed)).rejects.toThrow("fetch failed");
});
