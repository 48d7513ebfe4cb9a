import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BatchOutcomeUnknownError,
  ConfigurationError,
  SyncClient,
  type SyncClientOptions,
  SyncProtocolError,
} from "@saas-management/sdk/sync";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { resolveEndpoint } from "../../src/core/endpoint.js";
import {
  CompleteSyncBatchResponse,
  StartSyncBatchResponse,
} from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { targetOf } from "../../src/sync/grpc/options.js";
import { until } from "../support/sync-harness.js";
import { listen } from "../support/tcp-peers.js";
import { answerWith, startBareServer } from "../support/tls-bare-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const START = { installationId: "installation-1" };
const STARTED = StartSyncBatchResponse.encode({ batchId: "batch-1" }).finish();
const tls = { ca: certificate("authority") };

function connectTo(endpoint: string, options: Partial<SyncClientOptions> = {}): SyncClient {
  const client = new SyncClient({ endpoint, apiKey: "key-1", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

describe("an endpoint", () => {
  it.each([
    ["https://sync.example.com", "sync.example.com:443"],
    ["https://sync.example.com:443", "sync.example.com:443"],
    ["HTTPS://SYNC.Example.com:8443/", "sync.example.com:8443"],
    ["https://sync.bücher.example", "sync.xn--bcher-kva.example:443"],
    ["http://localhost", "localhost:80"],
    ["http://[::1]:5000", "[::1]:5000"],
  ])("%s is reached at %s", (endpoint, target) => {
    expect(targetOf(resolveEndpoint("endpoint", endpoint, "no-path"))).toBe(target);
  });
});

describe("a host that is called unix", () => {
  it.each<[string, Partial<SyncClientOptions> & { readonly endpoint: string }]>([
    ["the endpoint", { endpoint: "https://unix:7443" }],
    ["a proxy", { endpoint: "https://sync.example.test", proxy: "http://unix:7443" }],
  ])("is no socket file, as %s", async (_, options) => {
    const home = process.cwd();
    const folder = await mkdtemp(join(tmpdir(), "unix-host-"));
    onTestFinished(async () => {
      process.chdir(home);
      await rm(folder, { recursive: true });
    });
    process.chdir(folder);
    let accepted = 0;
    const file = createSocketServer((socket) => {
      accepted += 1;
      socket.destroy();
    });
    await once(file.listen(join(folder, "7443")), "listening");
    onTestFinished(() => void file.close());
    const { endpoint, ...more } = options;
    await expect(connectTo(endpoint, { timeoutMs: 2000, ...more }).startBatch(START)).rejects.toThrow();
    expect(accepted).toBe(0);
  });
});

describe("channelOptions", () => {
  it("reach the channel", async () => {
    const server = await startBareServer();
    const channelOptions = {
      "grpc.default_authority": "tenant.example.test",
      "grpc.secondary_user_agent": "more/1",
    };
    await connectTo(`http://127.0.0.1:${server.port}`, { channelOptions }).startBatch(START);
    expect(server.calls[0]?.[":authority"]).toBe("tenant.example.test");
    expect(server.calls[0]?.["user-agent"]).toMatch(/^saas-management-sdk\/.* more\/1$/);
  });

  it("may make it ping while a call is under way", async () => {
    const server = await startBareServer();
    let answer = () => {};
    server.answer = (stream) => {
      answer = () => answerWith(stream, STARTED);
    };
    const channelOptions = { "grpc.keepalive_time_ms": 1 };
    const started = connectTo(`http://127.0.0.1:${server.port}`, { channelOptions }).startBatch(START);
    await until(() => server.pings() > 0);
    answer();
    await started;
  });

  it.each([
    ["grpc.max_receive_message_length", -1, "use maxReceiveMessageBytes"],
    ["grpc.max_send_message_length", 10, "use maxSendMessageBytes"],
    ["grpc.enable_retries", 1, "use retry"],
    ["grpc.primary_user_agent", "mine", "use appInfo"],
    ["grpc.ssl_target_name_override", "localhost", "use tls.serverName"],
    ["grpc.http_connect_target", "dns:localhost", "use proxy"],
    ["grpc.per_rpc_retry_buffer_size", 1, "the SDK sends messages again itself"],
    ["grpc.use_local_subchannel_pool", 0, "each client has connections of its own"],
  ])("must not set %s, which is the SDK's", (name, value, own) => {
    const make = () => connectTo("https://sync.example.com", { channelOptions: { [name]: value } });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`channelOptions must not set ${name}: ${own}.`);
  });

  it.each([
    ['["grpc.keepalive_time_ms"]', /must be an object/],
    [
      '{ "grpc.keepalive_time_ms": true }',
      /grpc\.keepalive_time_ms must be a whole number, -1 to 2147483647/,
    ],
    ['{ "grpc.keepalive_time_ms": null }', /grpc\.keepalive_time_ms must be a whole number/],
    ['{ "grpc.keepalive_time_ms": "1000" }', /grpc\.keepalive_time_ms must be a whole number/],
    ['{ "grpc.max_reconnect_backoff_ms": 1e300 }', /grpc\.max_reconnect_backoff_ms must be a whole number/],
    ['{ "grpc-node.flow_control_window": 0 }', /flow_control_window must be a whole number, 1 to 2147483647/],
    ['{ "grpc-node.flow_control_window": 2147483648 }', /flow_control_window must be a whole number/],
    ['{ "grpc.default_authority": 1 }', /grpc\.default_authority must be a text/],
    ['{ "of.somebody.else": true }', /of\.somebody\.else must be a text or a finite number/],
  ])("of the wrong type are refused: %s", (json, message) => {
    const make = () => connectTo("https://sync.example.com", { channelOptions: JSON.parse(json) });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});

describe("an answer", () => {
  /** A server whose answers to CompleteSyncBatch have this size, and a batch of it. */
  async function startBatch(bytes: number, options: Partial<SyncClientOptions> = {}) {
    const server = await startBareServer();
    // The prefixes of the two nested fields take the rest.
    const snapshots = [{ collection: "x".repeat(bytes - 10), added: 0n, updated: 0n, removed: 0n }];
    const message = CompleteSyncBatchResponse.encode({ snapshots, events: [] }).finish();
    expect(message).toHaveLength(bytes);
    server.answer = (stream, operation) =>
      answerWith(stream, operation === "StartSyncBatch" ? STARTED : message);
    const retry = { retries: 3, minDelayMs: 1, maxDelayMs: 1 };
    const client = connectTo(`http://127.0.0.1:${server.port}`, { retry, ...options });
    return { server, batch: await client.startBatch(START) };
  }

  it("may have 16 MiB", async () => {
    const { batch } = await startBatch(16 * 1024 * 1024);
    expect(await batch.complete()).toEqual({ snapshots: {}, events: {} });
  });

  it("that is larger ends the call, which is not tried again: the service may have done it", async () => {
    const { batch, server } = await startBatch(16 * 1024 * 1024 + 1);
    const error = await batch.complete().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BatchOutcomeUnknownError);
    expect(error).toMatchObject({
      cause: expect.objectContaining({
        code: "SYNC_PROTOCOL",
        retryable: false,
        message:
          "CompleteSyncBatch: the answer is larger than maxReceiveMessageBytes, which is 16777216. Raise it.",
      }),
    });
    expect(server.calls).toHaveLength(2);
  });

  it("may be larger where maxReceiveMessageBytes says so", async () => {
    const { batch } = await startBatch(17_000_000, { maxReceiveMessageBytes: 17_000_000 });
    expect(await batch.complete()).toEqual({ snapshots: {}, events: {} });
  });

  it("that cannot be read ends the call, which is not tried again, and is not quoted", async () => {
    const server = await startBareServer();
    server.answer = (stream) => answerWith(stream, Buffer.from("\u0007canary"));
    const retry = { retries: 3, minDelayMs: 1, maxDelayMs: 1 };
    const client = connectTo(`http://127.0.0.1:${server.port}`, { retry });
    const error = await client.startBatch(START).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SyncProtocolError);
    expect(error).toMatchObject({
      message: "StartSyncBatch: the answer cannot be read. Is the endpoint the address of the Sync API?",
      grpcStatus: undefined,
      attempts: 1,
    });
  });
});

describe("the proxy variables of the environment", () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** A proxy that the environment names; it sends whoever asks for a tunnel to this port. */
  async function startProxy(variable: string, port: number) {
    const targets: (string | undefined)[] = [];
    const server = createServer().on("connect", ({ url }, near) => {
      targets.push(url);
      const far = connect(port, "127.0.0.1", () => near.write("HTTP/1.1 200 OK\r\n\r\n"));
      far.on("error", () => {});
      near.pipe(far).pipe(near);
    });
    const peer = await listen(server);
    vi.stubEnv(variable, `http://127.0.0.1:${peer.port}`);
    return { ...peer, targets };
  }

  it.each(["grpc_proxy", "https_proxy", "http_proxy"])(
    "capture no loopback endpoint: %s",
    async (variable) => {
      const plain = await startBareServer();
      const secure = await startBareServer(identity("server"));
      const proxy = await startProxy(variable, plain.port);
      const channelOptions = { "grpc.enable_http_proxy": 1 };
      for (const host of ["127.0.0.1", "localhost"]) {
        await connectTo(`http://${host}:${plain.port}`, { channelOptions }).startBatch(START);
        await connectTo(`https://${host}:${secure.port}`, { channelOptions, tls }).startBatch(START);
      }
      // Nobody listens there, but the proxy would have answered.
      const v6 = connectTo(`http://[::1]:${plain.port}`, { channelOptions });
      await expect(v6.startBatch(START)).rejects.toThrow(/no connection to \[::1\]/);
      expect(proxy.accepted()).toBe(0);
    },
  );

  it("are heeded for other endpoints, and the certificate is that of the endpoint", async () => {
    const server = await startBareServer(identity("named"));
    const proxy = await startProxy("grpc_proxy", server.port);
    await connectTo("https://sync.example.test", { tls }).startBatch(START);
    expect(proxy.targets).toEqual(["sync.example.test:443"]);
  });

  it.each(["unix", "dns", "ipv4", "ipv6", "constructor"])(
    "are asked for a host that is called %s as for any other: no name is a scheme of gRPC",
    async (host) => {
      const server = await startBareServer(identity("named"));
      const proxy = await startProxy("grpc_proxy", server.port);
      const named = { ...tls, serverName: "sync.example.test" };
      await connectTo(`https://${host}`, { tls: named }).startBatch(START);
      await connectTo(`https://${host}:8443`, { tls: named }).startBatch(START);
      expect(proxy.targets).toEqual([`${host}:443`, `${host}:8443`]);
      expect(server.calls.map((headers) => headers[":authority"])).toEqual([`${host}:443`, `${host}:8443`]);
    },
  );
});
