import { Metadata } from "@grpc/grpc-js";
import { RateLimitError, TransportError } from "@saas-management/sdk";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { rejection } from "../support/http-client.js";
import { observedHooks } from "../support/observed.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const UNAVAILABLE = { code: 14, details: "try later" };
const EXHAUSTED = { code: 8, details: "too many requests" };

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
`);

function encode(type: string, message: object): Uint8Array {
  const found = root.lookupType(type);
  return found.encode(found.fromObject(message)).finish();
}

/** A google.rpc.Status with two details, of which the second is a RetryInfo. */
function retryInfo(seconds: number, nanos: number): Buffer {
  const value = encode("RetryInfo", { retryDelay: { seconds, nanos } });
  const details = [
    { typeUrl: "type.googleapis.com/google.rpc.DebugInfo", value: Buffer.from([10, 1, 65]) },
    { typeUrl: "type.googleapis.com/google.rpc.RetryInfo", value },
  ];
  return Buffer.from(encode("Status", { code: 14, message: "try later", details }));
}

function trailer(name: string, value: string | Buffer): Metadata {
  const metadata = new Metadata();
  metadata.set(name, value);
  return metadata;
}

describe("how long the Sync API asks to wait", () => {
  it.each<[string, Metadata, number]>([
    ["grpc-retry-pushback-ms", trailer("grpc-retry-pushback-ms", "25"), 25],
    ["retry-after in seconds", trailer("retry-after", "0.025"), 25],
    ["google.rpc.RetryInfo", trailer("grpc-status-details-bin", retryInfo(0, 25_000_000)), 25],
  ])("is heeded where %s says it", async (_, metadata, delayMs) => {
    const { hooks, retries } = observedHooks();
    harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata }, { ...EXHAUSTED, metadata });
    await harness.startBatch(hooks);
    expect(retries).toMatchObject([
      { delayMs, code: "TRANSPORT_FAILED" },
      { delayMs, code: "RATE_LIMITED" },
    ]);
  });

  it.each<[string, Metadata]>([
    ["grpc-retry-pushback-ms", trailer("grpc-retry-pushback-ms", "259200000")],
    ["retry-after", trailer("retry-after", "259200")],
    ["google.rpc.RetryInfo", trailer("grpc-status-details-bin", retryInfo(259_200, 0))],
  ])("is told by an error at once where %s exceeds the time that is left", async (_, metadata) => {
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

  it.each(["-1", "soon", ""])("is never where grpc-retry-pushback-ms is %j", async (value) => {
    const metadata = trailer("grpc-retry-pushback-ms", value);
    harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata });
    const error = await rejection(harness.startBatch());
    expect(error).toMatchObject({ retryable: false, attempts: 1, retryAfterMs: undefined });
  });

  it.each<[string, Metadata]>([
    ["a retry-after that is neither", trailer("retry-after", "soon")],
    ["details that cannot be read", trailer("grpc-status-details-bin", Buffer.from([255, 255, 255]))],
    ["details of another kind", trailer("grpc-status-details-bin", Buffer.from([8, 14]))],
  ])("is not said by %s", async (_, metadata) => {
    harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata });
    const error = await rejection(harness.startBatch({ retry: false }));
    expect(error).toMatchObject({ retryable: true, retryAfterMs: undefined });
  });
});
