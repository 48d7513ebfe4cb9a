import { describe, expect, test } from "vitest";
import { refused } from "../support/grpc-client.js";
import { accounts, usage } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";

const MINUTE = 60_000;

describe("the lock of an installation", () => {
  test("is taken by a start, and a second start is refused while it is held", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    expect(await refused(client.start(installationId))).toMatchObject({ code: "ALREADY_EXISTS" });
    expect(server.inspect(installationId).lock).toEqual({
      batchId,
      leaseExpiresAt: server.clock.now() + 15 * MINUTE,
    });
  });

  test("does not tell others which batch holds it", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    expect((await refused(client.start(installationId))).details).not.toContain(batchId);
  });

  test.each(["complete", "abort"] as const)("is released by %s", async (end) => {
    const { client, installationId, server } = await startSync();
    await client[end](await client.start(installationId));
    expect(server.inspect(installationId).lock).toBeNull();
    await client.start(installationId);
  });

  test("is one of each installation", async () => {
    const { client, installationId, server } = await startSync();
    await client.start(installationId);
    await client.start(server.createInstallation());
  });
});

describe("the lease of a batch", () => {
  test("runs out after 15 minutes without an accepted write, and not earlier", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.clock.advance(15 * MINUTE - 1);
    expect(await refused(client.start(installationId))).toMatchObject({ code: "ALREADY_EXISTS" });
    server.clock.advance(1);
    expect(server.inspect(installationId)).toMatchObject({
      lock: null,
      batches: [{ id: batchId, state: "expired", endedAt: server.clock.now() }],
    });
  });

  test("makes the batch unavailable and lets a new batch have the lock", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.clock.advance(15 * MINUTE);
    const expired = { code: "FAILED_PRECONDITION", batchState: "expired" };
    expect(await refused(client.write(batchId, accounts("a")))).toMatchObject(expired);
    expect(await refused(client.complete(batchId))).toMatchObject(expired);
    const next = await client.start(installationId);
    expect(await refused(client.complete(batchId))).toMatchObject(expired);
    expect(server.inspect(installationId).lock).toMatchObject({ batchId: next });
  });

  test("is renewed by each applied message, an empty one too", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    for (const message of [accounts("a"), accounts(), usage("e")]) {
      server.clock.advance(14 * MINUTE);
      await client.write(batchId, message);
      expect(server.inspect(installationId).lock?.leaseExpiresAt).toBe(server.clock.now() + 15 * MINUTE);
    }
    await client.complete(batchId);
  });

  test("is not renewed by a refused message, nor by a stream without messages", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    const { lock } = server.inspect(installationId);
    server.clock.advance(MINUTE);
    await refused(client.write(batchId, accounts("")));
    expect(await client.write(batchId)).toBe(0n);
    expect(server.inspect(installationId).lock).toEqual(lock);
  });
});

describe("a batch that has ended", () => {
  test("is not completed twice, and says that it is completed", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    await client.complete(batchId);
    const completed = { code: "FAILED_PRECONDITION", batchState: "completed" };
    expect(await refused(client.complete(batchId))).toMatchObject(completed);
    expect(await refused(client.write(batchId, accounts("a")))).toMatchObject(completed);
    expect(await refused(client.abort(batchId))).toMatchObject(completed);
  });

  test("by an abort takes no writes and no completion, and may be aborted again", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    await client.abort(batchId);
    const aborted = { code: "FAILED_PRECONDITION", batchState: "aborted" };
    expect(await refused(client.write(batchId, accounts("a")))).toMatchObject(aborted);
    expect(await refused(client.complete(batchId))).toMatchObject(aborted);
    await client.abort(batchId);
  });

  test("by its lease may be aborted, and stays expired", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    server.clock.advance(15 * MINUTE);
    await client.abort(batchId);
    expect(server.inspect(installationId).batches).toMatchObject([{ state: "expired" }]);
  });

  test.each(["aborted", "expired"])(
    "and is %s keeps its hands off a newer batch when a delayed abort comes",
    async (how) => {
      const { client, installationId, server } = await startSync();
      const old = await client.start(installationId);
      if (how === "aborted") await client.abort(old);
      else server.clock.advance(15 * MINUTE);
      const newer = await client.start(installationId);
      await client.abort(old);
      expect(server.inspect(installationId).lock).toMatchObject({ batchId: newer });
      await client.write(newer, accounts("a"));
      await client.complete(newer);
    },
  );
});

describe("a batch id", () => {
  test("is unknown until it was given out", async () => {
    const { client } = await startSync();
    for (const call of [client.complete("nope"), client.abort("nope"), client.write("nope", accounts("a"))]) {
      expect(await refused(call)).toMatchObject({ code: "NOT_FOUND" });
    }
  });

  test("is required, and so is the installation id", async () => {
    const { client } = await startSync();
    for (const call of [
      client.start(""),
      client.complete(""),
      client.abort(""),
      client.write("", accounts("a")),
    ]) {
      expect(await refused(call)).toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });

  test("is random and never used again", async () => {
    const { client, installationId } = await startSync();
    const ids = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const batchId = await client.start(installationId);
      await client.abort(batchId);
      ids.add(batchId);
      expect(batchId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/);
    }
    expect(ids.size).toBe(20);
  });
});

test("a batch without any write can be completed, and changes nothing", async () => {
  const { client, installationId, server } = await startSync();
  const first = await client.start(installationId);
  await client.write(first, accounts("a"));
  await client.complete(first);
  expect(await client.complete(await client.start(installationId))).toEqual({ snapshots: [], events: [] });
  expect(server.inspect(installationId).snapshots.accounts).toMatchObject([{ id: "a", removed: false }]);
});
