import { constants } from "node:http2";
import {
  type SyncClientOptions,
  SyncProtocolError,
  TestClock,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { SyncRecordsResponse } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { startBareBatch } from "../support/bare-batch.js";
import { accounts, until } from "../support/sync-harness.js";
import { answerWith, type BareServer, refuseWith } from "../support/tls-bare-server.js";

/** A batch of a server that does this with every SyncRecords stream, and reads nothing of it by itself. */
function startBatch(onStream: BareServer["answer"], options: Partial<SyncClientOptions> = {}) {
  return startBareBatch(onStream, {
    retry: false,
    messageBytes: 100_000,
    windowBytes: 400_000,
    ...options,
  });
}

/** Accounts without end, and what became of their source. */
function endless() {
  const seen = { pulled: 0, returned: 0 };
  async function* source() {
    try {
      for (;;) {
        seen.pulled += 1;
        yield { generic: { id: `u${seen.pulled}`, name: "n".repeat(1000) } };
      }
    } finally {
      seen.returned += 1;
    }
  }
  return { seen, source: source() };
}

describe("a stream that the server ends before all was sent", () => {
  it("with a refusal, fails the write with the server's status, and the source is closed once", async () => {
    const { batch } = await startBatch((stream) => {
      stream.once("readable", () => refuseWith(stream, 3, "no such thing"));
    });
    const { seen, source } = endless();
    const error = await batch.write("accounts", source).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SyncProtocolError);
    expect(error).toMatchObject({ grpcStatus: "INVALID_ARGUMENT", serverMessage: "no such thing" });
    expect(seen.returned).toBe(1);
  });

  it("gives back the memory of what was not sent: its connection is not used again", async () => {
    const { batch, server, client } = await startBatch((stream) => {
      stream.once("readable", () => refuseWith(stream, 3, "no"));
    });
    await expect(batch.write("accounts", accounts(350, 1000))).rejects.toThrow(/INVALID_ARGUMENT/);
    await client.startBatch({ installationId: "installation-1" });
    expect(server.accepted()).toBe(2);
    await until(() => server.open() === 1);
  });

  it("with an answer, fails the write where it acknowledges less", async () => {
    const answer = SyncRecordsResponse.encode({ acceptedRecords: 1n }).finish();
    const { batch } = await startBatch((stream) => answerWith(stream, answer));
    await expect(batch.write("accounts", accounts(350, 1000))).rejects.toThrow(
      /acknowledged 1 of 350 records/,
    );
  });

  it.each(["NGHTTP2_INTERNAL_ERROR", "NGHTTP2_REFUSED_STREAM", "NGHTTP2_CANCEL"] as const)(
    "by a reset, may be sent again: %s",
    async (reset) => {
      const { batch } = await startBatch((stream) => stream.close(constants[reset]));
      const error = await batch.write("accounts", accounts(350, 1000)).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ retryable: true });
    },
  );

  it("by dropping the connection, may be sent again, over another one", async () => {
    let dropped = 0;
    const { batch, server } = await startBatch(
      (stream) => {
        dropped += 1;
        if (dropped === 1) stream.session?.destroy();
        else stream.resume().once("end", () => answerWith(stream, new Uint8Array()));
      },
      { retry: { retries: 1, minDelayMs: 1, maxDelayMs: 1 } },
    );
    expect(await batch.write("accounts", accounts(350, 1000))).toMatchObject({ retries: 1 });
    expect(server.accepted()).toBe(2);
  });
});

describe("a server that never reads", () => {
  it("holds up the source, and the write ends with its time", async () => {
    const clock = new TestClock({ startAt: 0 });
    const { batch, server } = await startBatch(() => {}, { clock, timeoutMs: 5000 });
    const { seen, source } = endless();
    const write = batch.write("accounts", source).catch((e: unknown) => e);
    await until(() => server.calls.length === 2);
    // Two windows of 400 kB, and the message that is being filled.
    await until(() => seen.pulled >= 400);
    clock.advance(5000);
    expect(await write).toBeInstanceOf(TimeoutError);
    expect(seen.pulled).toBeLessThan(1000);
    expect(seen.returned).toBe(1);
  });
});
