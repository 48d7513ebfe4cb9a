import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "@saas-management/sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import { resolveEndpoint } from "../../src/core/endpoint.js";
import { StartSyncBatchResponse } from "../../src/sync/generated/contract.js";
import { targetOf } from "../../src/sync/grpc/options.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { answerWith } from "../support/grpc-replies.js";
import { startConnectProxy } from "../support/http-server.js";
import { until } from "../support/promises.js";
import { START, syncClient } from "../support/sync-client.js";
import { startSyncServer } from "../support/sync-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const tls = { ca: certificate("authority") };

test.each([
  ["https://sync.example.com", "sync.example.com:443"],
  ["HTTPS://SYNC.Example.com:8443/", "sync.example.com:8443"],
  ["https://sync.bücher.example", "sync.xn--bcher-kva.example:443"],
  ["http://localhost", "localhost:80"],
  ["http://[::1]:5000", "[::1]:5000"],
])("connects %s at %s", (endpoint, target) => {
  expect(targetOf(resolveEndpoint("endpoint", endpoint, "no-path"))).toBe(target);
});

test("connects to a host that isn't ASCII, even after thousands of other clients", () => {
  for (let client = 0; client < 20_000; client += 1)
    resolveEndpoint("endpoint", "https://sync.bücher.example", "no-path");
});

test.each<[string, Partial<SyncClientOptions> & { readonly endpoint: string }]>([
  ["endpoint", { endpoint: "https://unix:7443" }],
  ["proxy", { endpoint: "https://sync.example.test", proxy: "http://unix:7443" }],
])("does not take the %s of a host called unix for a socket file", async (_, { endpoint, ...options }) => {
  const home = process.cwd();
  const folder = await mkdtemp(join(tmpdir(), "unix-host-"));
  onTestFinished(async () => {
    process.chdir(home);
    await rm(folder, { recursive: true });
  });
  process.chdir(folder);
  let accepted = 0;
  const file = createServer((socket) => {
    accepted += 1;
    socket.destroy();
  });
  await once(file.listen(join(folder, "7443")), "listening");
  onTestFinished(() => void file.close());
  await expect(syncClient(endpoint, { timeoutMs: 2000, ...options }).startBatch(START)).rejects.toThrow();
  expect(accepted).toBe(0);
});

test("passes channelOptions to the channel", async () => {
  const server = await startSyncServer();
  const channelOptions = {
    "grpc.default_authority": "tenant.example.test",
    "grpc.secondary_user_agent": "more/1",
    "grpc.keepalive_time_ms": 1,
  };
  let answer = () => {};
  server.answer = (stream) => {
    answer = () => answerWith(stream, StartSyncBatchResponse.encode({ batchId: "batch-1" }).finish());
  };
  const started = syncClient(server, { channelOptions }).startBatch(START);
  await until(() => server.pings() > 0);
  answer();
  await started;
  expect(server.headers[0]?.[":authority"]).toBe("tenant.example.test");
  expect(server.headers[0]?.["user-agent"]).toMatch(/^saas-management-sdk\/.* more\/1$/);
});

test.each([
  ['{ "grpc.max_receive_message_length": -1 }', "maxReceiveMessageBytes"],
  ['{ "grpc.max_send_message_length": 10 }', "maxSendMessageBytes"],
  ['{ "grpc.enable_retries": 1 }', "retry"],
  ['{ "grpc.primary_user_agent": "mine" }', "appInfo"],
  ['{ "grpc.ssl_target_name_override": "localhost" }', "tls.serverName"],
  ['{ "grpc.http_connect_target": "dns:localhost" }', "proxy"],
  ['{ "grpc.per_rpc_retry_buffer_size": 1 }', "per_rpc_retry_buffer_size"],
  ['{ "grpc.use_local_subchannel_pool": 0 }', "use_local_subchannel_pool"],
  ['["grpc.keepalive_time_ms"]', "object"],
  ['{ "grpc.keepalive_time_ms": true }', "keepalive_time_ms"],
  ['{ "grpc.keepalive_time_ms": null }', "keepalive_time_ms"],
  ['{ "grpc.keepalive_time_ms": "1000" }', "keepalive_time_ms"],
  ['{ "grpc.max_reconnect_backoff_ms": 1e300 }', "max_reconnect_backoff_ms"],
  ['{ "grpc-node.flow_control_window": 0 }', "flow_control_window"],
  ['{ "grpc-node.flow_control_window": 2147483648 }', "flow_control_window"],
  ['{ "grpc.default_authority": 1 }', "default_authority"],
  ['{ "of.somebody.else": true }', "of.somebody.else"],
])("refuses the channelOptions %s and names %s", (json, named) => {
  const make = () => syncClient("https://sync.example.com", { channelOptions: JSON.parse(json) });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(named);
});

/** A proxy that the environment names. */
async function proxyOfEnvironment(variable: string) {
  const proxy = await startConnectProxy();
  vi.stubEnv(variable, `http://127.0.0.1:${proxy.port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return proxy;
}

test.each(["https_proxy", "HTTPS_PROXY", "http_proxy", "grpc_proxy"])(
  "never uses the proxy from %s for loopback",
  async (variable) => {
    const plain = await startSyncServer();
    const secure = await startSyncServer(identity("server"));
    const proxy = await proxyOfEnvironment(variable);
    const channelOptions = { "grpc.enable_http_proxy": 1 };
    for (const host of ["127.0.0.1", "localhost"]) {
      await syncClient(`http://${host}:${plain.port}`, { channelOptions }).startBatch(START);
      await syncClient(`https://${host}:${secure.port}`, { channelOptions, tls }).startBatch(START);
    }
    // No server listens on this port, but the proxy would have answered.
    const v6 = syncClient(`http://[::1]:${plain.port}`, { channelOptions });
    await expect(v6.startBatch(START)).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(proxy.accepted()).toBe(0);
  },
);

// Without a scheme before the host, grpc-js would take some of these hosts for schemes.
test.each(["sync.example.test", "unix", "dns", "ipv4", "constructor"])(
  "asks the environment's proxy for the host %s",
  async (host) => {
    const server = await startSyncServer(identity("named"));
    const proxy = await proxyOfEnvironment("HTTPS_PROXY");
    const named = { ...tls, serverName: "sync.example.test" };
    await syncClient(`https://${host}:${server.port}`, { tls: named }).startBatch(START);
    expect(proxy.requests).toMatchObject([{ target: `${host}:${server.port}` }]);
    expect(server.headers[0]?.[":authority"]).toBe(`${host}:${server.port}`);
  },
);

test("reaches a server by an address that its certificate names, without a warning from Node", async () => {
  const { port } = await startSyncServer(identity("server"));
  const warnings: Error[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  expect((await syncClient(`https://127.0.0.1:${port}`, { tls }).startBatch(START)).id).toBe("batch-1");
  expect(warnings).toEqual([]);
});

test.each(["TLSv1.2", "TLSv1.3"] as const)("shows the client's certificate, by %s", async (version) => {
  const mutual = { ...identity("server"), requestCert: true, ...tls };
  const { port } = await startSyncServer({ ...mutual, minVersion: version, maxVersion: version });
  const client = syncClient(`https://localhost:${port}`, { tls: { ...tls, ...identity("client") } });
  expect((await client.startBatch(START)).id).toBe("batch-1");
});
