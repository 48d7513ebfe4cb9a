import { expect, test } from "vitest";
import { accepted } from "../support/adopted.js";
import { refused } from "../support/grpc-client.js";
import { accounts, usage } from "../support/grpc-records.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

const MINUTE = 60_000;
const LEASE = 15 * MINUTE;

test("refuses a second start while the lock is held, without naming the batch that holds it", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const { code, details } = await refused(client.start(installationId));
  expect(code).toBe("ALREADY_EXISTS");
  expect(details).not.toContain(batchId);
  expect(server.inspect(installationId).lock).toEqual({
    batchId,
    expiresAt: new Date(server.clock.now() + LEASE),
  });
  await client.start(server.createInstallation());
});

test("expires a batch after 15 minutes without an accepted write, not earlier", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  server.clock.advance(LEASE - 1);
  expect(await refused(client.start(installationId))).toMatchObject({ code: "ALREADY_EXISTS" });
  server.clock.advance(1);
  expect(server.inspect(installationId)).toMatchObject({
    lock: null,
    batches: [{ id: batchId, state: "expired" }],
  });
});

test("renews the lease with each applied message, including empty ones", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  for (const message of [accounts("a"), accounts(), usage("e")]) {
    server.clock.advance(14 * MINUTE);
    await client.write(batchId, message);
    expect(server.inspect(installationId).lock?.expiresAt.getTime()).toBe(server.clock.now() + LEASE);
  }
  await client.complete(batchId);
});

test("does not renew the lease with a refused message or a stream without messages", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const { lock } = server.inspect(installationId);
  server.clock.advance(MINUTE);
  await refused(client.write(batchId, accounts("")));
  expect(await client.write(batchId)).toBe(accepted(0));
  expect(server.inspect(installationId).lock).toEqual(lock);
});

test("refuses every operation on a completed batch", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  await client.complete(batchId);
  const completed = { code: "FAILED_PRECONDITION", batchState: "completed" };
  expect(await refused(client.complete(batchId))).toMatchObject(completed);
  expect(await refused(client.write(batchId, accounts("a")))).toMatchObject(completed);
  expect(await refused(client.abort(batchId))).toMatchObject(completed);
});

test.each(["aborted", "expired"])(
  "refuses writes and completion of an %s batch, and lets it be aborted again without touching a newer one",
  async (batchState) => {
    const { client, installationId, server } = fixture();
    const old = await client.start(installationId);
    if (batchState === "aborted") await client.abort(old);
    else server.clock.advance(LEASE);
    const newer = await client.start(installationId);
    const ended = { code: "FAILED_PRECONDITION", batchState };
    expect(await refused(client.write(old, accounts("a")))).toMatchObject(ended);
    expect(await refused(client.complete(old))).toMatchObject(ended);
    await client.abort(old);
    const { lock, batches } = server.inspect(installationId);
    expect(lock).toMatchObject({ batchId: newer });
    expect(batches).toMatchObject([{ state: batchState }, { state: "active" }]);
    await client.complete(newer);
  },
);

test("refuses unknown and missing ids", async () => {
  const { client } = fixture();
  for (const [id, code] of [
    ["nope", "NOT_FOUND"],
    ["", "INVALID_ARGUMENT"],
  ] as const) {
    for (const call of [client.complete(id), client.abort(id), client.write(id, accounts("a"))]) {
      expect(await refused(call)).toMatchObject({ code });
    }
  }
  expect(await refused(client.start(""))).toMatchObject({ code: "INVALID_ARGUMENT" });
});
