import type { ReferenceServer } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { PlainClient, refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

test("refuses a missing, malformed or unknown key without repeating it", async () => {
  const { server, installationId } = fixture();
  const { apiKey } = server;
  for (const authorization of [
    undefined,
    "",
    "ApiKey",
    "ApiKey ",
    apiKey,
    `Bearer ${apiKey}`,
    `apikey ${apiKey}`,
    `ApiKey  ${apiKey}`,
    `ApiKey ${apiKey} x`,
    `ApiKey ${apiKey}x`,
    `ApiKey ${apiKey.slice(0, -1)}`,
    "ApiKey canary",
  ]) {
    const { code, details } = await refused(
      new PlainClient(server.syncUrl, authorization).start(installationId),
    );
    expect(code, String(authorization)).toBe("UNAUTHENTICATED");
    expect(details).not.toMatch(/canary|smk_/);
  }
});

test("refuses a revoked key immediately, even in a running stream", async () => {
  const { server, installationId, connect } = fixture();
  const key = server.createApiKey();
  const client = connect(key);
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
  server.revokeApiKey(key);
  stream.send(batchId, accounts("b"));
  expect(await refused(stream.answer)).toMatchObject({ code: "UNAUTHENTICATED" });
  expect(await refused(client.complete(batchId))).toMatchObject({ code: "UNAUTHENTICATED" });
  expect(server.inspect(installationId).snapshots.accounts.map(({ id }) => id)).toEqual(["a"]);
});

test.each<[of: string, keyOf: (server: ReferenceServer) => string]>([
  ["of scope read", (server) => server.createApiKey({ scope: "read" })],
  ["without integration:sync", (server) => server.createApiKey({ permissions: [] })],
  ["of another workspace", (server) => server.createWorkspace({ name: "Other" }).apiKey],
])("denies every operation to a key %s, and changes nothing", async (_, keyOf) => {
  const { server, client, installationId, connect } = fixture();
  const other = connect(keyOf(server));
  const batchId = await client.start(installationId);
  for (const call of [
    other.start(installationId),
    other.write(batchId, accounts("a")),
    other.complete(batchId),
    other.abort(batchId),
  ]) {
    expect(await refused(call)).toMatchObject({ code: "PERMISSION_DENIED", batchState: undefined });
  }
  expect(server.inspect(installationId)).toMatchObject({ lock: { batchId }, snapshots: { accounts: [] } });
});

test("does not reveal whether another workspace has an installation", async () => {
  const { server, installationId, connect } = fixture();
  const other = connect(server.createWorkspace({ name: "Other" }).apiKey);
  expect(await refused(other.start(installationId))).toEqual(await refused(other.start("no-such-id")));
});
