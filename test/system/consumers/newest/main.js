/** Works with packages whose newest versions need a later Node than the SDK: OpenTelemetry 3, undici 8 and got 16. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { defineConnector, SaasManagementClient } from "@saas-management/sdk";
import { instrument } from "@saas-management/sdk/otel";
import { connectorTests, startReferenceServer } from "@saas-management/sdk/testing";
import got from "got";
import { Agent, request, setGlobalDispatcher, fetch as undiciFetch } from "undici";

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

const spans = new InMemorySpanExporter();
const reader = new Reader();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
const stop = instrument({
  tracerProvider,
  meterProvider: new MeterProvider({ readers: [reader] }),
});
const server = await startReferenceServer({ portfolio: { applications: [{ name: "Zoom" }] } });
const { baseUrl, syncUrl, apiKey } = server;

/** Names of the applications, read by a client that uses this `fetch`. */
async function names(fetch) {
  const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, ...(fetch ? { fetch } : {}) });
  const found = await client.graphql.applications().toArray();
  await client.close();
  return found.map(({ application }) => application.name);
}
const read = [await names(undiciFetch)];
setGlobalDispatcher(new Agent());
read.push(await names());
const { resourceMetrics } = await reader.collect();
await tracerProvider.forceFlush();
stop();
await server.close();

const url = "https://api.vendor.example/v1/users";
const readers = {
  fetch: async () => (await fetch(url)).json(),
  "fetch of undici": async () => (await undiciFetch(url)).json(),
  "request of undici": async () => (await request(url)).body.json(),
  got: () => got(url, { retry: { limit: 0 } }).json(),
};
const cassette = fileURLToPath(new URL("vendor.cassette.json", import.meta.url));
const headers = { "content-type": "application/json" };
const users = [{ id: "u1", name: "Ada" }];
const exchange = {
  request: { method: "GET", url, headers: {} },
  response: { status: 200, headers, body: { json: { users } } },
};
const runs = [{ startedAt: "2026-05-04T02:00:00.000Z", exchanges: [exchange] }];
writeFileSync(cassette, JSON.stringify({ version: 2, salt: "", kept: [], runs }));
const played = {};
for (const [client, readUsers] of Object.entries(readers)) {
  const connector = defineConnector({
    snapshots: ["accounts"],
    run: async (batch) => {
      await batch.write("accounts", (await readUsers()).users);
    },
  });
  const [first] = connectorTests(connector, { cassette, only: ["no-fault"] });
  played[client] = await first.run().then(
    () => "passed",
    (error) => error.message,
  );
}
console.log(
  JSON.stringify({
    read,
    spans: spans.getFinishedSpans().length,
    metrics: resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ descriptor }) => descriptor.name),
    ),
    played,
  }),
);
