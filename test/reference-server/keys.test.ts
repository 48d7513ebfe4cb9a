import { startReferenceServer } from "@saas-management/sdk/reference-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiKeys } from "../../src/reference-server/keys.js";
import { Workspace } from "../../src/reference-server/workspace.js";

const workspace = new Workspace({ id: "w", name: "W" });
const permissions = ["integration:sync"] as const;

describe("API keys", () => {
  test("are long, random and fit for a header", () => {
    const keys = new ApiKeys();
    const values = Array.from({ length: 50 }, () => keys.create({ workspace, scope: "read", permissions }));
    expect(new Set(values).size).toBe(50);
    for (const value of values) expect(value).toMatch(/^smk_[\w-]{43}$/);
  });

  test("are found with what they may do, and are unknown otherwise", () => {
    const keys = new ApiKeys();
    keys.create({ workspace, scope: "read-write", permissions });
    const value = keys.create({ workspace, scope: "read", permissions: [] });
    expect(keys.lookUp(value)).toMatchObject({
      status: "ok",
      key: { workspace, scope: "read", permissions: [], revoked: false },
    });
    for (const other of [undefined, "", value.slice(0, -1), `${value} `, value.toUpperCase()]) {
      expect(keys.lookUp(other)).toEqual({ status: "unknown" });
    }
  });

  test("are told apart from unknown ones when they are revoked", () => {
    const keys = new ApiKeys();
    const [value, kept] = [0, 1].map(() => keys.create({ workspace, scope: "read", permissions }));
    const found = keys.lookUp(value);
    keys.revoke(value ?? "");
    expect(keys.lookUp(value)).toEqual({ status: "revoked" });
    expect(found).toMatchObject({ key: { revoked: true } });
    expect(keys.lookUp(kept)).toMatchObject({ status: "ok" });
  });

  test("are not kept: only their digests are", () => {
    const keys = new ApiKeys();
    const value = keys.create({ workspace, scope: "read", permissions });
    const found = keys.lookUp(value);
    expect(JSON.stringify(found)).not.toContain(value);
  });

  test.each<[object, RegExp]>([
    [{ scop: "read" }, /^The options of createApiKey: there is no scop\. Did you mean scope\?/],
    [{ scope: "readwrite" }, /^`scope` must be one of read, read-write\. Did you mean read-write\?$/],
    [{ permissions: ["sync"] }, /^`permissions` must be one of integration:sync/],
  ])("are not made of %o", async (options, message) => {
    await using server = await startReferenceServer();
    const make = () => server.createApiKey(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  test("that do not exist cannot be revoked, and the error does not repeat them", async () => {
    const server = await startReferenceServer();
    onTestFinished(() => server.close());
    expect(() => server.revokeApiKey("canary")).toThrow(/no such API key/);
    expect(() => server.revokeApiKey("canary")).not.toThrow(/canary/);
  });

  test("work on the GraphQL API at once, and stop at once", async () => {
    const server = await startReferenceServer();
    onTestFinished(() => server.close());
    const key = server.createApiKey({ scope: "read" });
    const send = () =>
      fetch(`${server.baseUrl}/graphql`, {
        method: "POST",
        headers: { authorization: key, "content-type": "application/json" },
        body: JSON.stringify({ query: "{ licenses { totalCount } }" }),
      });
    expect(await (await send()).json()).toEqual({ data: { licenses: { totalCount: 0 } } });
    server.revokeApiKey(key);
    expect((await send()).status).toBe(401);
  });
});
