import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { status } from "@grpc/grpc-js";
import { ClosedError, SyncClient, type SyncClientOptions, TestClock } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";
import { droppingPort, listenSilently } from "../support/tcp-peers.js";
import { startBareServer } from "../support/tls-bare-server.js";

const START = { installationId: "installation-1" };

function connectTo(port: number, scheme = "http", options: Partial<SyncClientOptions> = {}) {
  return new SyncClient({
    endpoint: `${scheme}://127.0.0.1:${port}`,
    apiKey: "key-1",
    retry: false,
    ...options,
  });
}

const harness = useScriptedServer();

describe("after close", () => {
  it("no connection is left, with a batch still open", async () => {
    const server = await startBareServer();
    const client = connectTo(server.port);
    await client.startBatch(START);
    expect(server.open()).toBe(1);
    await client.close();
    await until(() => server.open() === 0);
  });

  it("no connection is left to a server that does not read, and the write under way is rejected", async () => {
    const server = await startBareServer();
    const client = connectTo(server.port);
    const batch = await client.startBatch(START);
    server.answer = () => {};
    const write = batch.write("accounts", accounts(300, 10_000));
    await until(() => server.calls.length === 2);
    await client.close();
    await expect(write).rejects.toBeInstanceOf(ClosedError);
    await until(() => server.open() === 0);
  });

  it.each(["http", "https"])("no connection is left that was still being made: %s", async (scheme) => {
    const peer = await listenSilently();
    const clock = new TestClock({ startAt: 0 });
    const client = connectTo(peer.port, scheme, { clock });
    const batch = client.openBatch("batch-1");
    const abort = batch.abort().catch((e: unknown) => e);
    await until(() => peer.heard() === 1);
    await client.close();
    await until(() => peer.open() === 0);
    expect(await abort).toBeInstanceOf(ClosedError);
  });

  it("none of the connections is left that were replaced, also with a start that nobody waits for", async () => {
    const server = await startBareServer();
    const answer = server.answer;
    server.answer = () => {};
    const clock = new TestClock({ startAt: 0 });
    const client = connectTo(server.port, "http", { clock });
    const calls = [client.startBatch(START), client.openBatch("batch-1").abort()];
    const ended = Promise.allSettled(calls);
    await until(() => server.calls.length === 2);
    clock.advance(100_000);
    await ended;
    server.answer = answer;
    await client.startBatch(START);
    expect(server.open()).toBe(2);
    const closed = client.close();
    clock.advance(5000);
    await closed;
    await until(() => server.open() === 0);
  });

  it("the abort of a start that nobody waits for is not tried again: no timer is left", async () => {
    const { server } = harness;
    const clock = new TestClock({ startAt: 0 });
    const retry = { retries: 5, minDelayMs: 60_000, maxDelayMs: 60_000 };
    const client = harness.client({ clock, timeoutMs: 1_000_000, retry });
    let answer = () => {};
    server.beforeStart = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    server.scripts.AbortSyncBatch.push({ code: status.UNAVAILABLE }, { code: status.UNAVAILABLE });
    const impatient = new AbortController();
    const start = client.startBatch({ ...START, signal: impatient.signal }).catch((e: unknown) => e);
    await until(() => server.calls.length === 1);
    impatient.abort();
    await start;
    answer();
    await until(() => server.calls.includes("AbortSyncBatch") && clock.sleeping === 1);
    const closed = client.close();
    clock.advance(5000);
    await closed;
    await until(() => clock.sleeping === 0);
    expect(server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  });
});

describe("a process that closed its client", () => {
  const run = async (...args: string[]) => {
    const url = new URL("../support/tcp-close-script.ts", import.meta.url);
    const { stdout } = await promisify(execFile)(process.execPath, ["--import=tsx", url.pathname, ...args], {
      timeout: 15_000,
    });
    return stdout;
  };

  it("ends by itself, with a batch still open", async () => {
    expect(await run(harness.server.endpoint)).toBe("active");
  });

  it.each(["http", "https"])("ends by itself, where the peer said nothing: %s", async (scheme) => {
    const peer = await listenSilently();
    expect(await run(`${scheme}://127.0.0.1:${peer.port}`, "200")).toBe("failed");
  });

  it.runIf(process.platform === "linux")("ends by itself, where nobody answered", async () => {
    const port = await droppingPort();
    expect(await run(`http://127.0.0.1:${port}`, "200")).toBe("failed");
  });
});
