import { expect, test } from "vitest";
import { accepted, ofSnapshots } from "../support/adopted.js";
import { refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

/** A batch with an open stream that has written the account `a`. */
async function writing() {
  const started = fixture();
  const { client, server, installationId } = started;
  const batchId = await client.start(installationId);
  const stream = client.open().send(batchId, accounts("a"));
  const ids = () => server.inspect(installationId).snapshots.accounts.map(({ id }) => id);
  await until(() => ids().length === 1);
  return { ...started, batchId, stream, ids };
}

test("applies messages one by one while the stream is open", async () => {
  const { stream, batchId, ids } = await writing();
  stream.send(batchId, accounts("b"));
  await until(() => ids().length === 2);
  expect(await stream.end()).toBe(accepted(2));
});

test("keeps the applied messages of a stream that breaks", async () => {
  const { stream, client, batchId } = await writing();
  stream.cancel();
  await refused(stream.answer);
  expect(await client.write(batchId, accounts("b"))).toBe(accepted(1));
  expect(await client.complete(batchId)).toMatchObject({ ...ofSnapshots({ snapshots: [{ added: 2n }] }) });
});

test("refuses a stream at its first invalid message and keeps the earlier ones", async () => {
  const { stream, batchId, ids } = await writing();
  stream.send(batchId, accounts("b", "")).send(batchId, accounts("c"));
  expect(await refused(stream.answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(ids()).toEqual(["a"]);
});

test("refuses a message that names a different batch than the stream, or none", async () => {
  const { client, server, installationId } = fixture();
  const batchId = await client.start(installationId);
  const other = server.createInstallation();
  for (const id of ["", await client.start(other)]) {
    const stream = client.open().send(batchId, accounts("a")).send(id, accounts("b"));
    expect(await refused(stream.answer)).toMatchObject({ code: "INVALID_ARGUMENT" });
  }
  expect(server.inspect(other).snapshots.accounts).toEqual([]);
});

test.each(["aborted", "expired"])("refuses a stream once its batch is %s", async (batchState) => {
  const { stream, batchId, client, server, ids } = await writing();
  if (batchState === "aborted") await client.abort(batchId);
  else server.clock.advance(15 * 60_000);
  stream.send(batchId, accounts("b"));
  expect(await refused(stream.answer)).toMatchObject({ code: "FAILED_PRECONDITION", batchState });
  expect(ids()).toEqual(["a"]);
});

test("refuses to complete a batch while a stream is open", async () => {
  const { stream, client, batchId } = await writing();
  expect(await refused(client.complete(batchId))).toMatchObject({
    code: "FAILED_PRECONDITION",
    batchState: "active",
  });
  await stream.end();
  await client.complete(batchId);
});

test.each(["cancelled", "refused"])("completes a batch whose stream was %s", async (how) => {
  const { stream, client, batchId } = await writing();
  if (how === "cancelled") stream.cancel();
  else stream.send(batchId, accounts(""));
  await refused(stream.answer);
  // The server learns of a cancellation later.
  await until(async () => (await client.complete(batchId).catch(() => undefined)) !== undefined);
});

test("refuses an older stream that was slow to write", async () => {
  const { client, installationId, server, connect } = fixture();
  const batchId = await client.start(installationId);
  const older = connect().open();
  // The fault fires when this stream's call arrives, so the next stream is certainly newer.
  const arrived = server.faults.add({ on: "sync", fault: "delay", ms: 0 });
  await until(() => arrived.fired === 1);
  const newer = client.open().send(batchId, accounts("new"));
  await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
  older.send(batchId, accounts("old"));
  expect(await refused(older.answer)).toMatchObject({ code: "FAILED_PRECONDITION" });
  expect(await newer.send(batchId, accounts("newer")).end()).toBe(accepted(2));
});

test("completes a batch even if a refused older stream is open", async () => {
  const { client, batchId } = await writing();
  await client.write(batchId, accounts("b"));
  expect(await client.complete(batchId)).toMatchObject({ ...ofSnapshots({ snapshots: [{ added: 2n }] }) });
});

test("refuses to complete a batch while the newer of two streams is open", async () => {
  const { stream: older, client, batchId, ids } = await writing();
  const newer = client.open().send(batchId, accounts("b"));
  await until(() => ids().length === 2);
  older.send(batchId, accounts("late"));
  expect(await refused(older.answer)).toMatchObject({ batchState: "active" });
  expect(await refused(client.complete(batchId))).toMatchObject({ code: "FAILED_PRECONDITION" });
  await newer.end();
  await client.complete(batchId);
});
