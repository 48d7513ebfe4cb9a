import { constants } from "node:http2";
import { TimeoutError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { reply } from "../support/grpc-replies.js";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { startBareBatch } from "../support/sync-harness.js";
import type { SyncServer } from "../support/sync-server.js";

/** A batch on a server that passes every SyncRecords stream to `onStream`, and reads nothing itself. */
function startBatch(onStream: SyncServer["answer"], options: Partial<SyncClientOptions> = {}) {
  return startBareBatch(onStream, {
    retry: false,
    messageBytes: 100_000,
    windowBytes: 400_000,
    ...options,
  });
}

/** An endless source of accounts, and whether it was closed. */
function endless() {
  const seen = { pulled: 0, returned: 0 };
  async function* source() {
    try {
      for (;;) {
        seen.pulled += 1;
        yield { id: `u${seen.pulled}`, name: "n".repeat(1000) };
      }
    } finally {
      seen.returned += 1;
    }
  }
  return { seen, source: source() };
}

test("reports a refusal in the middle of a stream and closes the source once", async () => {
  const { batch } = await startBatch((stream) => {
    stream.once("readable", () => reply(stream, { status: 3, details: "no such thing" }));
  });
  const { seen, source } = endless();
  await expect(batch.write("accounts", source)).rejects.toMatchObject({
    code: "SYNC_PROTOCOL",
    grpcStatus: "INVALID_ARGUMENT",
    serverMessage: "no such thing",
  });
  expect(seen.returned).toBe(1);
});

test("drops the connection that still has unsent bytes of a refused stream", async () => {
  const { batch, server, client } = await startBatch((stream) => {
    stream.once("readable", () => reply(stream, { status: 3, details: "no" }));
  });
  await expect(batch.write("accounts", accounts(350, 1000))).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
  await client.startBatch({ installationId: "installation-1" });
  expect(server.accepted()).toBe(2);
  await until(() => server.open() === 1);
});

const RESETS = [
  "NGHTTP2_INTERNAL_ERROR",
  "NGHTTP2_REFUSED_STREAM",
  "NGHTTP2_CANCEL",
  "NGHTTP2_ENHANCE_YOUR_CALM",
  "NGHTTP2_INADEQUATE_SECURITY",
] as const;

test.each(RESETS)("reports a stream that is reset with %s as retryable", async (reset) => {
  const { batch } = await startBatch((stream) => stream.close(constants[reset]));
  await expect(batch.write("accounts", accounts(350, 1000))).rejects.toMatchObject({
    code: "TRANSPORT_FAILED",
    retryable: true,
  });
});

test("reads no more than two windows of a source if the server never reads, and times out", async () => {
  const clock = new TestClock({ startAt: new Date(0) });
  const { batch, server } = await startBatch(() => {}, { clock, timeoutMs: 5000 });
  const { seen, source } = endless();
  const write = batch.write("accounts", source).catch((e: unknown) => e);
  await until(() => server.headers.length === 2);
  // Two windows of 400 kB, and the message that is being filled.
  await until(() => seen.pulled >= 400);
  clock.advance(5000);
  expect(await write).toBeInstanceOf(TimeoutError);
  expect(seen.pulled).toBeLessThan(1000);
  expect(seen.returned).toBe(1);
});
