/** Checks of the messages and windows of a write, for any records and sizes. */
import type { Collection, RecordOf } from "@saas-management/sdk";
import { expect } from "vitest";
import { MAPPING } from "../../contract/mapping.js";
import { WIRE } from "../../src/sync/generated/collections.js";
import { SyncRecordsRequest } from "../../src/sync/generated/contract.js";
import { messageType, recordsIn, recordType } from "./contract.js";
import { recordsOf } from "./sync-server.js";
import { ofInput, ofProtobufjs } from "./wire-form.js";

/** Limit of an encoded request (service description, "Limits"). */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

export function isEvent(collection: Collection): boolean {
  return WIRE[collection].model === "event";
}

export function totalBytes(messages: readonly Uint8Array[]): number {
  return messages.reduce((sum, { length }) => sum + length, 0);
}

/** The generated codec must write the same bytes again, and protobufjs must read the records. */
export function expectRecords(
  messages: readonly Uint8Array[],
  collection: Collection,
  records: readonly RecordOf<Collection>[],
): void {
  const request = messageType("SyncRecordsRequest");
  const type = recordType(collection);
  const found: unknown[] = [];
  for (const bytes of messages) {
    const message = SyncRecordsRequest.decode(bytes);
    expect(message).toMatchObject({ batchId: "batch-1", collection: { $case: collection } });
    const again = SyncRecordsRequest.encode(message).finish();
    expect(again).toHaveLength(bytes.length);
    // The fields of an adopted contract may be declared in an order other than that of their numbers.
    if (MAPPING.assumed) expect(Buffer.compare(again, bytes)).toBe(0);
    const decoded = request.decode(bytes);
    found.push(...recordsIn(decoded, collection).map((record) => ofProtobufjs(type, record)));
  }
  expect(found).toStrictEqual(records.map((record) => ofInput(type, record)));
}

/** No message exceeds `limit` unless a single record does, and none has room for the first record of the next. */
export function expectFewMessages(messages: readonly Uint8Array[], limit: number): void {
  for (const [i, message] of messages.entries()) {
    expect(message.length).toBeLessThan(MESSAGE_LIMIT);
    if (message.length > limit) expect(recordsOf(message).length).toBeLessThanOrEqual(1);
    const next = messages[i + 1];
    if (next !== undefined) expect(sizeWithFirstOf(message, next)).toBeGreaterThan(limit);
  }
}

function sizeWithFirstOf(message: Uint8Array, next: Uint8Array): number {
  const request = SyncRecordsRequest.decode(message);
  const records: unknown[] = request.collection?.value.records ?? [];
  records.push(recordsOf(next)[0]);
  return SyncRecordsRequest.encode(request).finish().length;
}

/**
 * No window exceeds `limit` unless a single message does, and none has room for the first message of the next.
 * A window of events is one message.
 */
export function expectFewWindows(
  windows: readonly (readonly Uint8Array[])[],
  collection: Collection,
  limit: number,
): void {
  for (const [i, window] of windows.entries()) {
    if (isEvent(collection) || totalBytes(window) > limit) expect(window).toHaveLength(1);
    const next = windows[i + 1]?.[0];
    if (next !== undefined && !isEvent(collection)) {
      expect(totalBytes(window) + next.length).toBeGreaterThan(limit);
    }
  }
}
