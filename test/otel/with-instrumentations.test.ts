import { createRequire } from "node:module";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { GrpcInstrumentation } from "@opentelemetry/instrumentation-grpc";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { SaasManagementClient } from "@saas-management/sdk";
import { instrument } from "@saas-management/sdk/otel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHttpServer } from "../support/http-server.js";
import { accounts } from "../support/records.js";
import { testService } from "../support/test-service.js";

const service = testService();
const spans = new InMemorySpanExporter();
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const others = [new GrpcInstrumentation(), new UndiciInstrumentation()];

let stop = () => {};
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  for (const instrumentation of others) instrumentation.setTracerProvider(tracerProvider);
  for (const instrumentation of others) instrumentation.enable();
  // The instrumentation patches what require() returns: the classes that the SDK imports.
  createRequire(import.meta.url)("@grpc/grpc-js");
  stop = instrument({ tracerProvider });
});
afterAll(() => {
  stop();
  for (const instrumentation of others) instrumentation.disable();
  context.disable();
  propagation.disable();
});

test("one trace leads from page to attempt, with no span twice", async () => {
  const { server, installationId } = service;
  // SERVER spans of the reference server belong to the same process.
  const job = tracerProvider.getTracer("job").startSpan("job");
  await using client = new SaasManagementClient({
    baseUrl: server.baseUrl,
    syncUrl: server.syncUrl,
    apiKey: server.apiKey,
  });
  await context.with(trace.setSpan(context.active(), job), async () => {
    await client.graphql.applications().toArray();
    await client.sync.run(
      { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(2)) },
      { installationId, ledger: "none", guard: false },
    );
  });
  job.end();
  const all = spans.getFinishedSpans();
  const pathOf = (id: string | undefined): string => {
    const span = all.find((one) => one.spanContext().spanId === id);
    return span === undefined
      ? ""
      : `${pathOf(span.parentSpanContext?.spanId)} > ${span.instrumentationScope.name.split("/").at(-1)}:${span.name.split(/[./]/).at(-1)}`;
  };
  const paths = all.map((span) => pathOf(span.spanContext().spanId).slice(3));
  expect(new Set(all.map((span) => span.spanContext().traceId)).size).toBe(1);
  expect(paths.filter((path) => path.startsWith("job:job > sdk"))).toContain(
    "job:job > sdk:walk applications > sdk:operation Applications > instrumentation-undici:POST",
  );
  const sent = "job:job > sdk:run > sdk:batch > sdk:SyncRecords > instrumentation-grpc:SyncRecords";
  expect(paths.filter((path) => path === sent)).toHaveLength(1);
  expect(paths.length).toBe(new Set(paths).size);
});

test("a request has one traceparent, from the fetch instrumentation", async () => {
  const server = await startHttpServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: { ok: true } }));
  });
  await using client = new SaasManagementClient({ baseUrl: server.baseUrl, apiKey: "key-1" });
  spans.reset();
  await client.graphql.request("query Names { ok }", {});
  const fetched = spans
    .getFinishedSpans()
    .find(({ instrumentationScope }) => /undici/.test(instrumentationScope.name));
  expect(server.requests[0]?.headers["traceparent"]).toBe(
    `00-${fetched?.spanContext().traceId}-${fetched?.spanContext().spanId}-01`,
  );
});
