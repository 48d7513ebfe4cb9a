import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import {
  ATTR_RPC_METHOD,
  ATTR_RPC_STATUS_CODE,
  ATTR_RPC_SYSTEM_NAME,
  METRIC_RPC_CLIENT_CALL_DURATION,
} from "@opentelemetry/semantic-conventions";
import { instrument } from "@saas-management/sdk/otel";
import { memoryLedger } from "@saas-management/sdk/testing";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { rejection } from "../support/http-client.js";
import { accounts } from "../support/records.js";
import { quickRetries } from "../support/sync-client.js";
import { testService } from "../support/test-service.js";

const SERVICE = "saas_management.sync.v1.SyncService";

const service = testService();
const spans = new InMemorySpanExporter();
const metricData = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: metricData, exportIntervalMillis: 2 ** 30 });
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const meterProvider = new MeterProvider({ readers: [reader] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
const job = tracerProvider.getTracer("job");

let stop = () => {};
beforeEach(async () => {
  spans.reset();
  await reader.forceFlush();
  stop = instrument({ tracerProvider, meterProvider });
});
afterEach(() => stop());
afterAll(() => {
  context.disable();
  propagation.disable();
});

const connector = (count: number, id?: string) =>
  ({
    snapshots: ["accounts"],
    run: (batch: { write(c: "accounts", r: readonly { id: string; name?: string }[]): Promise<unknown> }) =>
      batch.write("accounts", id === undefined ? accounts(count) : [{ id, name: id }]),
  }) as const;

/** `parent > span` of all spans that have ended. */
function tree(): string[] {
  const all = spans.getFinishedSpans();
  const nameOf = (id: string | undefined) => all.find((span) => span.spanContext().spanId === id)?.name;
  return all.map((span) => `${nameOf(span.parentSpanContext?.spanId) ?? "-"} > ${span.name}`);
}

async function points() {
  metricData.reset();
  await reader.forceFlush();
  const all = metricData
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return new Map(
    all.map(({ descriptor, dataPoints }) => [descriptor.name, { unit: descriptor.unit, dataPoints }]),
  );
}

function span(name: string): ReadableSpan {
  const found = spans.getFinishedSpans().find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no span ${name}.`);
  return found;
}

test("a run is one trace, from the caller's span to the RPCs", async () => {
  const { installationId } = service;
  await job.startActiveSpan("nightly", async (nightly) => {
    await service.sync.run(connector(2), { installationId, ledger: "none", guard: false });
    nightly.end();
  });
  expect(tree().sort()).toEqual(
    [
      "- > nightly",
      "nightly > saas-management.sync.run",
      "saas-management.sync.run > saas-management.sync.batch",
      `saas-management.sync.batch > ${SERVICE}/StartSyncBatch`,
      "saas-management.sync.run > saas-management.sync.write accounts",
      `saas-management.sync.batch > ${SERVICE}/SyncRecords`,
      `saas-management.sync.batch > ${SERVICE}/CompleteSyncBatch`,
    ].sort(),
  );
  const rpc = span(`${SERVICE}/SyncRecords`);
  const { hostname, port } = new URL(service.server.syncUrl);
  expect(rpc.kind).toBe(SpanKind.CLIENT);
  expect(rpc.attributes).toMatchObject({
    [ATTR_RPC_SYSTEM_NAME]: "grpc",
    [ATTR_RPC_METHOD]: `${SERVICE}/SyncRecords`,
    [ATTR_RPC_STATUS_CODE]: "OK",
    "server.address": hostname,
    "server.port": Number(port),
    "saas_management.installation.id": installationId,
    "saas_management.batch.id": span("saas-management.sync.batch").attributes["saas_management.batch.id"],
    "saas_management.collection": "accounts",
  });
});

test("a call with all its attempts is one span, with an event for each attempt", async () => {
  service.server.faults.add({ on: "SyncRecords", fault: "status", status: "UNAVAILABLE", times: 1 });
  const client = service.syncClient({ retry: quickRetries(1) });
  const batch = await client.startBatch({ installationId: service.installationId });
  await batch.write("accounts", accounts(1));
  await batch.abort();
  const rpc = span(`${SERVICE}/SyncRecords`);
  expect(rpc.events.map(({ name, attributes }) => [name, attributes])).toMatchObject([
    [
      "attempt",
      {
        "saas_management.attempt": 1,
        "saas_management.attempt.outcome": "failure",
        "error.type": "TRANSPORT_FAILED",
      },
    ],
    ["attempt", { "saas_management.attempt": 2, "saas_management.attempt.outcome": "success" }],
  ]);
  // If the caller has no span, the spans of calls on a batch are children of the batch's span.
  expect(tree()).toContain("saas-management.sync.batch > saas-management.sync.write accounts");
  expect(tree()).toContain(`saas-management.sync.batch > ${SERVICE}/AbortSyncBatch`);
});

test("the span of a refused call has the call's status as error.type, and none of the service's text", async () => {
  service.server.faults.add({ on: "StartSyncBatch", fault: "status", status: "PERMISSION_DENIED" });
  await rejection(service.sync.startBatch({ installationId: service.installationId }));
  const rpc = span(`${SERVICE}/StartSyncBatch`);
  expect(rpc.attributes).toMatchObject({
    "rpc.status_code": "PERMISSION_DENIED",
    "error.type": "PERMISSION_DENIED",
  });
  expect(rpc.status).toEqual({ code: 2 });
  const { dataPoints = [] } = (await points()).get(METRIC_RPC_CLIENT_CALL_DURATION) ?? {};
  expect(dataPoints.map(({ attributes }) => attributes)).toMatchObject([
    { "rpc.status_code": "PERMISSION_DENIED" },
  ]);
});

test("the declared metrics are recorded, in their units", async () => {
  const { installationId } = service;
  const ledger = memoryLedger();
  const options = { installationId, ledger, waitForLockMs: 0 };
  await service.sync.run(connector(30), { ...options, firstRun: true });
  await service.sync.run(connector(29), options);
  await rejection(service.sync.run(connector(1), options));
  await service.graphql.applications().totalCount();
  const all = await points();
  const sum = (name: string) =>
    all
      .get(`saas_management.${name}`)
      ?.dataPoints.reduce(
        (total, { value }) => total + (typeof value === "number" ? value : (value.count ?? 0)),
        0,
      );
  expect([...all].map(([name, { unit }]) => `${name} ${unit}`).sort()).toEqual([
    "rpc.client.call.duration s",
    "saas_management.graphql.operation.duration s",
    "saas_management.sync.held {reason}",
    "saas_management.sync.lease.margin s",
    "saas_management.sync.lock.wait s",
    "saas_management.sync.records {record}",
    "saas_management.sync.removals {record}",
    "saas_management.sync.run.duration s",
    "saas_management.sync.run.last_success s",
  ]);
  expect(sum("sync.records")).toBe(59);
  expect(sum("sync.removals")).toBe(1);
  expect(sum("sync.held")).toBe(1);
  expect(sum("sync.run.duration")).toBe(3);
});

test("spans record how a run, its batch and a walk ended, and a success has no error.type", async () => {
  const { installationId } = service;
  const options = { installationId, ledger: memoryLedger(), firstRun: true };
  await service.sync.run(connector(3), options);
  await service.graphql.applications().toArray();
  expect(span("saas-management.sync.run").attributes).toMatchObject({ "saas_management.run.records": 3 });
  expect(span("saas-management.sync.batch").attributes).toMatchObject({
    "saas_management.batch.state": "completed",
  });
  expect(span("saas-management.graphql.walk applications").attributes).toMatchObject({
    "saas_management.walk.pages": 1,
    "saas_management.walk.nodes": 0,
  });
  for (const { events } of spans.getFinishedSpans())
    for (const { attributes } of events) expect(Object.keys(attributes ?? {})).not.toContain("error.type");
});

test("the span of a failed batch also has its state", async () => {
  service.server.faults.add({ on: "SyncRecords", fault: "status", status: "PERMISSION_DENIED", times: 9 });
  const batch = await service.sync.startBatch({ installationId: service.installationId });
  await rejection(batch.write("accounts", accounts(1)));
  await batch.abort();
  expect(span("saas-management.sync.batch").attributes).toMatchObject({
    "saas_management.batch.state": "aborted",
    "error.type": "PERMISSION_DENIED",
  });
});

test("retries are counted", async () => {
  service.server.faults.add({ on: "SyncRecords", fault: "status", status: "UNAVAILABLE", times: 2 });
  const client = service.syncClient({ retry: quickRetries(2) });
  const batch = await client.startBatch({ installationId: service.installationId });
  await batch.write("accounts", accounts(1));
  const { dataPoints = [] } = (await points()).get("saas_management.client.retries") ?? {};
  expect(dataPoints).toMatchObject([
    { value: 2, attributes: { "saas_management.operation": "SyncRecords" } },
  ]);
});

test("the span's trace context goes out as a header", async () => {
  const headers: Headers[] = [];
  const client = service.graphqlClient({
    fetch: (input, init) => {
      headers.push(new Headers(init?.headers));
      return fetch(input, init);
    },
  });
  await client.applications().totalCount();
  const { traceId, spanId } = span("saas-management.graphql.operation Applications").spanContext();
  expect(headers[0]?.get("traceparent")).toBe(`00-${traceId}-${spanId}-01`);
});

test("records nothing after the instrumentation was removed", async () => {
  stop();
  await service.graphql.applications().totalCount();
  expect(spans.getFinishedSpans()).toEqual([]);
});

test("the global providers are used if none is passed", async () => {
  stop();
  trace.setGlobalTracerProvider(tracerProvider);
  stop = instrument();
  await service.graphql.applications().totalCount();
  trace.disable();
  expect(tree()).toEqual(["- > saas-management.graphql.operation Applications"]);
});

test("a second instrumentation replaces the first, and removing the first then has no effect", async () => {
  const first = stop;
  stop = instrument({ tracerProvider, meterProvider });
  for (const count of [1, 2]) {
    await service.graphql.applications().totalCount();
    expect(tree()).toEqual(Array(count).fill("- > saas-management.graphql.operation Applications"));
    first();
  }
});

test("refuses anything but a provider", () => {
  expect(() => instrument({ tracerProvider: {} })).toThrow(/tracerProvider must be a TracerProvider/);
  expect(() => instrument({ meterProvider: {} })).toThrow(/meterProvider must be a MeterProvider/);
});
