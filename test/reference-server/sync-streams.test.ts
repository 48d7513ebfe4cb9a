import { describe, expect, test } from "vitest";
import { refused, until } from "../support/grpc-client.js";
import { accounts, groups } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";

/** A batch with a stream that has written the account `a` and is still open. */
async function writing() {
  const fixture = await startSync();
  const { client, server, installationId } = fixture;
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  const ids = () => server.inspect(installationId).snapshots.accounts.map(({ id }) => id);
  await until(() => ids().length === 1);
  return { ...fixture, batchId, stream, ids };
}

describe("a stream of SyncRecords", () => {
  test("answers with the number of records of all its messages", async () => {
    const { client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    expect(await client.write(batchId, accounts("a", "b"), groups("g"), accounts(), accounts("b"))).toBe(4n);
  });

  test("applies message by message: what it sent can be read while it is open", async () => {
    const { stream, batchId, ids } = await writing();
    stream.send(batchId, accounts("b"));
    await until(() => ids().length === 2);
    expect(await stream.end()).toBe(2n);
  });

  test("keeps the messages that were applied when it breaks", async () => {
    const { stream, client, batchId } = await writing();
    stream.cancel();
    await refused(stream.answer);
    expect(await client.write(batchId, accounts("b"))).toBe(1n);
    expect(await client.complete(batchId)).toMatchObject({ snapshots: [{ added: 2n }] });
  });

  test("is refused at the first message that is wrong, and keeps the ones before it", async () => {
    const { stream, batchId, ids } = await writing();
    stream.send(batchId, accounts("b", "")).send(batchId, accounts("c"));
    expect(await refused(stream.answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(ids()).toEqual(["a"]);
  });

  test("does not hold its batch up once it was refused, even when its client never ends it", async () => {
    const { stream, client, batchId } = await writing();
    stream.send(batchId, accounts(""));
    await refused(stream.answer);
    await client.complete(batchId);
  });

  test("must name its batch in every message", async () => {
    const { stream, ids } = await writing();
    stream.send("", accounts("b"));
    expect(await refused(stream.answer)).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: "`batch_id` is missing.",
    });
    expect(ids()).toEqual(["a"]);
  });

  test("cannot go on with another batch", async () => {
    const { stream, client, server } = await writing();
    const other = server.createInstallation();
    stream.send(await client.start(other), accounts("b"));
    expect(await refused(stream.answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(server.inspect(other).snapshots.accounts).toEqual([]);
  });

  test.each(["aborted", "expired"])("is refused once its batch is %s", async (batchState) => {
    const { stream, batchId, client, server, ids } = await writing();
    if (batchState === "aborted") await client.abort(batchId);
    else server.clock.advance(15 * 60_000);
    stream.send(batchId, accounts("b"));
    expect(await refused(stream.answer)).toMatchObject({ code: "FAILED_PRECONDITION", batchState });
    expect(ids()).toEqual(["a"]);
  });
});

describe("writes of one batch are sequential", () => {
  test("a batch is not completed while a stream is open, and can be afterwards", async () => {
    const { stream, client, batchId } = await writing();
    expect(await refused(client.complete(batchId))).toMatchObject({
      code: "FAILED_PRECONDITION",
      batchState: "active",
    });
    await stream.end();
    await client.complete(batchId);
  });

  test("a stream that its client cancelled does not hold its batch up", async () => {
    const { stream, client, batchId } = await writing();
    stream.cancel();
    await refused(stream.answer);
    // The server learns of it in its own time.
    await until(() =>
      client.complete(batchId).then(
        () => true,
        () => false,
      ),
    );
  });

  test("a newer stream shuts an older one out", async () => {
    const { stream: older, client, batchId, ids } = await writing();
    expect(await client.write(batchId, accounts("b"))).toBe(1n);
    older.send(batchId, accounts("late"));
    expect(await refused(older.answer)).toMatchObject({ code: "FAILED_PRECONDITION", batchState: "active" });
    expect(ids()).toEqual(["a", "b"]);
  });

  test("an older stream that was slow to write cannot displace a newer one", async () => {
    const { client, installationId, server, connect } = await startSync();
    const batchId = await client.start(installationId);
    const older = connect().open();
    // The fault counts the call when it comes in: then the older stream is known to be the older one.
    const arrived = server.faults.add({ api: "sync", kind: { type: "delay", ms: 0 } });
    await until(() => arrived.firings === 1);
    const newer = client.open().send(batchId, accounts("new"));
    await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
    older.send(batchId, accounts("old"));
    expect(await refused(older.answer)).toMatchObject({ code: "FAILED_PRECONDITION" });
    expect(await newer.send(batchId, accounts("newer")).end()).toBe(2n);
  });

  test("a stream that was shut out does not hold up the completion", async () => {
    const { client, batchId } = await writing();
    await client.write(batchId, accounts("b"));
    expect(await client.complete(batchId)).toMatchObject({ snapshots: [{ added: 2n }] });
  });

  test("a batch is not completed while the newer stream is open, though the one that it shut out has ended", async () => {
    const { stream: older, client, batchId, ids } = await writing();
    const newer = client.open().send(batchId, accounts("b"));
    await until(() => ids().length === 2);
    older.send(batchId, accounts("late"));
    await refused(older.answer);
    expect(await refused(client.complete(batchId))).toMatchObject({ code: "FAILED_PRECONDITION" });
    await newer.end();
    await client.complete(batchId);
  });

  test("streams of different batches do not hinder each other", async () => {
    const { stream, batchId, client, server } = await writing();
    const other = server.createInstallation();
    const otherBatch = await client.start(other);
    await client.write(otherBatch, accounts("x"));
    await client.complete(otherBatch);
    expect(await stream.send(batchId, accounts("b")).end()).toBe(2n);
  });
});
