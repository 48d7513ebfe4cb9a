import { Metadata } from "@grpc/grpc-js";
import { RateLimitError, TransportError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { rejection } from "../support/http-client.js";
import { observedHooks } from "../support/observed.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const UNAVAILABLE = { code: 14, details: "try later" };
const EXHAUSTED = { code: 8, details: "too many requests" };

function trailer(name: string, value: string): Metadata {
  const metadata = new Metadata();
  metadata.set(name, value);
  return metadata;
}

test.each<[string, Metadata, number]>([
  ["grpc-retry-pushback-ms", trailer("grpc-retry-pushback-ms", "25"), 25],
  ["retry-after in seconds", trailer("retry-after", "0.025"), 25],
])("a pause that the Sync API asks for by %s is kept", async (_, metadata, delayMs) => {
  const { hooks, retries } = observedHooks();
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata }, { ...EXHAUSTED, metadata });
  await harness.startBatch(hooks);
  expect(retries).toMatchObject([
    { delayMs, code: "TRANSPORT_FAILED" },
    { delayMs, code: "RATE_LIMITED" },
  ]);
});

test.each<[string, Metadata]>([
  ["grpc-retry-pushback-ms", trailer("grpc-retry-pushback-ms", "259200000")],
  ["retry-after", trailer("retry-after", "259200")],
])("%s that exceeds the time left fails at once with retryAfterMs", async (_, metadata) => {
  const told = {
    retryAfterMs: 259_200_000,
    attempts: 1,
    retryable: true,
    stoppedBecause: "retry-after-exceeds-deadline",
  };
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata }, { ...EXHAUSTED, metadata });
  const unavailable = await rejection(harness.startBatch());
  expect(unavailable).toBeInstanceOf(TransportError);
  expect(unavailable).toMatchObject(told);
  const limited = await rejection(harness.startBatch());
  expect(limited).toBeInstanceOf(RateLimitError);
  expect(limited).toMatchObject(told);
  expect(harness.server.calls).toHaveLength(2);
});

test.each(["-1", "soon", ""])("grpc-retry-pushback-ms %j forbids a retry", async (value) => {
  const metadata = trailer("grpc-retry-pushback-ms", value);
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata });
  const error = await rejection(harness.startBatch());
  expect(error).toMatchObject({ retryable: false, attempts: 1, retryAfterMs: undefined });
});

test("a retry-after that cannot be read is ignored", async () => {
  const metadata = trailer("retry-after", "soon");
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata });
  const error = await rejection(harness.startBatch({ retry: false }));
  expect(error).toMatchObject({ retryable: true, retryAfterMs: undefined });
});
