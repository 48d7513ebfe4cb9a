import type { ServerHttp2Stream } from "node:http2";
import { TestClock } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { connectorOf } from "../support/connector.js";
import { reply } from "../support/grpc-replies.js";
import { quietLogger } from "../support/observed.js";
import { rejection, until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { quickRetries, START, syncClient } from "../support/sync-client.js";
import { startSyncServer } from "../support/sync-server.js";
import { relayTo } from "../support/tcp-proxy.js";

const MIB = 1024 * 1024;
/** 5 messages of 1 MiB. */
const MANY = accounts(50, 100_000);
const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", MANY));
const RUN = { ...START, ledger: "none", guard: false } as const;

type Ending = (stream: ServerHttp2Stream) => void;

/** What a proxy does to end a stream above its limit. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  "HTTP status 413": (stream) => {
    stream.respond({ ":status": 413, "content-type": "text/html" });
    stream.end("<html><h1>413 Request Entity Too Large</h1></html>");
  },
  "a reset of the stream": (stream) => stream.close(2),
  "the end of the connection": (stream) => stream.session?.destroy(),
};
const TOO_LARGE = ENDINGS["HTTP status 413"] ?? (() => {});

/** A server behind a proxy that ends streams above the limit, and the sizes of all streams in bytes. */
async function limited(limitBytes: number, end: Ending) {
  const server = await startSyncServer();
  const { answer } = server;
  const sizes: number[] = [];
  server.answer = (stream, operation, headers) => {
    answer(stream, operation, headers);
    if (operation !== "SyncRecords") return;
    const index = sizes.push(0) - 1;
    const count = (piece: Buffer) => {
      const bytes = (sizes[index] ?? 0) + piece.length;
      sizes[index] = bytes;
      if (bytes <= limitBytes) return;
      stream.removeAllListeners().on("error", () => {});
      end(stream);
    };
    stream.on("data", count);
  };
  return { server, sizes, accepted: () => sizes.filter((bytes) => bytes > 0 && bytes <= limitBytes) };
}

function watched(port: { readonly port: number }, options: Partial<SyncClientOptions> = {}) {
  const warnings: string[] = [];
  const isOfWindows = (message: string) => message.includes("windows were halved");
  const logger = quietLogger({ warn: (message) => void (isOfWindows(message) && warnings.push(message)) });
  const client = syncClient(port, { logger, retry: quickRetries(1), ...options });
  return { client, warnings };
}

describe.each(Object.entries(ENDINGS))("a window that something in between answers with %s", (what, end) => {
  test("is halved until it gets through, which the run reports", async () => {
    const { server, accepted } = await limited(MIB, end);
    const { client, warnings } = watched(server);
    const receipt = await client.run(connector, RUN);
    expect(receipt.collections.accounts?.stats).toMatchObject({ sent: 50, accepted: 50, windows: 5 });
    expect(accepted()).toHaveLength(5);
    expect(receipt.surprises).toEqual([]);
    const reason = what.startsWith("HTTP")
      ? /refused larger ones with HTTP status 413/
      : /cut larger ones off/;
    expect(receipt.notes).toEqual([expect.stringMatching(reason)]);
    expect(receipt.notes[0]).toContain("set windowBytes to 1048576, or raise");
    expect(receipt.notes[0]).toContain("nginx: client_max_body_size");
    expect(String(receipt)).toContain(`Note: ${receipt.notes[0]}.`);
    expect(warnings).toContain(`saas-management: ${receipt.notes[0]}`);
  });

  test("is never sent at that size again by the client, and is reported only once", async () => {
    const { server, sizes } = await limited(2 * MIB, end);
    const { client } = watched(server);
    await client.run(connector, RUN);
    sizes.length = 0;
    const receipt = await client.run(connector, RUN);
    expect(receipt.notes).toEqual([]);
    expect(sizes).toHaveLength(3);
  });

  test("is also halved in a batch", async () => {
    const { server } = await limited(3 * MIB, end);
    const { client, warnings } = watched(server);
    const batch = await client.startBatch(START);
    expect(await batch.write("accounts", MANY)).toMatchObject({ sent: 50, accepted: 50, windows: 3 });
    await batch.complete();
    expect(warnings).toEqual([expect.stringContaining("set windowBytes to 2097152")]);
  });
});

test("a window of a size that passed before is resent unchanged", async () => {
  const server = await startSyncServer();
  const { client, warnings } = watched(server);
  await client.run(connector, RUN);
  const { answer } = server;
  server.answer = (stream, operation, headers) => {
    if (operation !== "SyncRecords") return answer(stream, operation, headers);
    server.answer = answer;
    stream.close(2);
  };
  const receipt = await client.run(connector, RUN);
  expect(receipt.collections.accounts?.stats).toMatchObject({ windows: 1, retries: 1 });
  expect([receipt.notes, warnings]).toEqual([[], []]);
});

test("a window that the service itself refuses is not halved", async () => {
  const server = await startSyncServer();
  const { answer } = server;
  let streams = 0;
  server.answer = (stream, operation, headers) => {
    if (operation !== "SyncRecords") return answer(stream, operation, headers);
    streams += 1;
    stream.resume().once("end", () => reply(stream, { status: 14, details: "overloaded" }));
  };
  const batch = await watched(server).client.startBatch(START);
  expect(await rejection(batch.write("accounts", MANY))).toMatchObject({ serverMessage: "overloaded" });
  expect(streams).toBe(2);
});

test("a single message that is too large fails, and the error says what to set", async () => {
  const { server, sizes } = await limited(MIB / 2, TOO_LARGE);
  const batch = await watched(server).client.startBatch(START);
  const error = await rejection(batch.write("accounts", MANY));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", status: 413, retryable: false });
  expect(error).toMatchObject({ message: expect.stringContaining("set windowBytes below that limit") });
  expect(sizes).toHaveLength(4);
  await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
});

test("records count as sent even if all parts of their window fail", async () => {
  const { server, sizes } = await limited(MIB / 2, (stream) => stream.close(2));
  const batch = await watched(server).client.startBatch(START);
  await expect(batch.write("accounts", MANY)).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  expect(batch.stats.accounts).toMatchObject({ sent: expect.any(Number), accepted: 0 });
  expect(batch.stats.accounts?.sent).toBeGreaterThan(0);
  expect(sizes.length).toBeGreaterThan(3);
});

test("a window that a slow link does not carry within timeoutMs is halved", async () => {
  const server = await startSyncServer();
  const relay = await relayTo(server.port);
  const clock = new TestClock({ startAt: new Date(0) });
  const { client, warnings } = watched(relay, { clock, timeoutMs: 10_000 });
  const slow = { type: "slow", direction: "request", afterBytes: 2.5 * MIB } as const;
  relay.planNext(slow, slow);
  const run = client.run(connector, RUN);
  for (let halvings = 1; halvings <= 2; halvings += 1) {
    await until(() => relay.firings() === halvings);
    clock.advance(10_000);
  }
  const receipt = await run;
  expect(receipt.collections.accounts?.stats).toMatchObject({ accepted: 50, windows: 3 });
  expect(receipt.notes).toEqual([expect.stringContaining("set windowBytes to 2097152, or raise timeoutMs")]);
  expect(warnings).toHaveLength(1);
  expect(relay.accepted()).toBe(3);
});

test("a window is not halved if none of it is read, because the server may be gone", async () => {
  const server = await startSyncServer();
  const clock = new TestClock({ startAt: new Date(0) });
  const { client } = watched(server, { clock, timeoutMs: 10_000 });
  const batch = await client.startBatch(START);
  server.answer = () => {};
  const write = rejection(batch.write("accounts", MANY));
  await until(() => server.headers.length === 2);
  clock.advance(10_000);
  expect(await write).toMatchObject({ code: "TIMEOUT" });
  expect(server.headers).toHaveLength(2);
});

test.each([64 * 1024, 512 * 1024, MIB, 1.5 * MIB])(
  "no stream is larger than windowBytes: %i",
  async (windowBytes) => {
    const { server, sizes } = await limited(Number.POSITIVE_INFINITY, TOO_LARGE);
    const { client } = watched(server, { windowBytes });
    const small = accounts(4000, 1000);
    await client.run({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", small) }, RUN);
    const batch = await client.startBatch(START);
    await batch.write("accounts", small);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(windowBytes);
    expect(Math.min(...sizes.slice(0, 2))).toBeGreaterThan(0.9 * windowBytes);
    for (const { messages } of server.streams)
      for (const message of messages) expect(message.length).toBeLessThan(512 * 1024);
  },
);
