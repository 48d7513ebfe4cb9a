import { describe, expect, test } from "vitest";
import { PlainClient, refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";

describe("a key of the Sync API", () => {
  test("is refused as unauthenticated when it is missing, malformed or unknown", async () => {
    const { server, installationId } = await startSync();
    const wrong = [
      undefined,
      "",
      "ApiKey",
      "ApiKey ",
      server.apiKey,
      `Bearer ${server.apiKey}`,
      `apikey ${server.apiKey}`,
      `ApiKey  ${server.apiKey}`,
      `ApiKey ${server.apiKey} x`,
      `ApiKey ${server.apiKey}x`,
      `ApiKey ${server.apiKey.slice(0, -1)}`,
    ];
    for (const authorization of wrong) {
      const client = new PlainClient(server.syncUrl, authorization);
      expect(await refused(client.start(installationId)), String(authorization)).toMatchObject({
        code: "UNAUTHENTICATED",
      });
    }
  });

  test("never comes back in a refusal", async () => {
    const { server, installationId } = await startSync();
    const client = new PlainClient(server.syncUrl, "ApiKey canary-key");
    expect((await refused(client.start(installationId))).details).not.toContain("canary");
  });

  test("is refused without write access, and without the permission integration:sync", async () => {
    const { server, installationId, client, connect } = await startSync();
    const batchId = await client.start(installationId);
    const keys = [server.createApiKey({ scope: "read" }), server.createApiKey({ permissions: [] })];
    for (const key of keys) {
      const other = connect(key);
      for (const call of [
        other.start(installationId),
        other.write(batchId, accounts("a")),
        other.complete(batchId),
        other.abort(batchId),
      ]) {
        expect(await refused(call)).toMatchObject({ code: "PERMISSION_DENIED" });
      }
    }
  });

  test("stops working at once when it is revoked", async () => {
    const { server, installationId, connect } = await startSync();
    const key = server.createApiKey();
    const client = connect(key);
    const batchId = await client.start(installationId);
    server.revokeApiKey(key);
    expect(await refused(client.complete(batchId))).toMatchObject({
      code: "UNAUTHENTICATED",
      details: "The API key was revoked.",
    });
  });

  test("stops working in the middle of a stream when it is revoked", async () => {
    const { server, installationId, connect } = await startSync();
    const key = server.createApiKey();
    const client = connect(key);
    const batchId = await client.start(installationId);
    const stream = client.open().send(batchId, accounts("a"));
    await until(() => server.inspect(installationId).batches[0]?.accepted.accounts === 1);
    server.revokeApiKey(key);
    stream.send(batchId, accounts("b"));
    expect(await refused(stream.answer)).toMatchObject({ code: "UNAUTHENTICATED" });
    expect(server.inspect(installationId).snapshots.accounts.map(({ id }) => id)).toEqual(["a"]);
  });
});

describe("another workspace", () => {
  test("cannot start, write, complete or abort anything, and changes nothing by trying", async () => {
    const { server, client, installationId, connect } = await startSync();
    const workspace = server.createWorkspace("Other");
    const stranger = connect(server.createApiKey({ workspace }));
    const batchId = await client.start(installationId);
    for (const call of [
      stranger.start(installationId),
      stranger.write(batchId, accounts("a")),
      stranger.complete(batchId),
      stranger.abort(batchId),
    ]) {
      expect(await refused(call)).toMatchObject({ code: "PERMISSION_DENIED", batchState: undefined });
    }
    expect(server.inspect(installationId)).toMatchObject({ lock: { batchId }, snapshots: { accounts: [] } });
  });

  test("gets the same answer for an installation that exists elsewhere and one that does not exist", async () => {
    const { server, installationId, connect } = await startSync();
    const stranger = connect(server.createApiKey({ workspace: server.createWorkspace("Other") }));
    expect(await refused(stranger.start(installationId))).toEqual(
      await refused(stranger.start("no-such-id")),
    );
  });

  test("has installations of its own that work beside the others", async () => {
    const { server, client, installationId, connect } = await startSync();
    const workspace = server.createWorkspace("Other");
    const other = server.createInstallation({ workspace, integration: "Chat" });
    await client.start(installationId);
    const batchId = await connect(server.createApiKey({ workspace })).start(other);
    expect(server.inspect(other)).toMatchObject({ integration: { name: "Chat" }, lock: { batchId } });
  });
});
