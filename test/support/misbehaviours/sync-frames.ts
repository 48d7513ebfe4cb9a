import { callHeaders, END_HEADERS, FrameType, frame, literal } from "../http2-frames.js";

/** Calls of the Sync API as frames of HTTP/2 and messages of gRPC. */

const SERVICE = "/saas_management.sync.v1.SyncService";

export const RECORDS_PATH = `${SERVICE}/SyncRecords`;
export const START_PATH = `${SERVICE}/StartSyncBatch`;
export const COMPLETE_PATH = `${SERVICE}/CompleteSyncBatch`;
export const RECORDS = callHeaders(RECORDS_PATH);
export const START = callHeaders(START_PATH);

/** Calls of a connection: the server allows a few more at a time. */
export const CALLS = 90;
/** What the server may hold for a call that waits, in bytes: its own objects, and some ordinary headers. */
export const CALL_BYTES = 16 * 1024;

/** Number of a client's stream: they are odd. */
export const streamNumber = (index: number) => index * 2 + 1;

export const callFrame = (index: number, headers: Buffer) =>
  frame(FrameType.headers, END_HEADERS, streamNumber(index), headers);

export const dataFrame = (index: number, bytes: Buffer, flags = 0) =>
  frame(FrameType.data, flags, streamNumber(index), bytes);

/** The headers of a call of SyncRecords with a key. */
export const recordsWithKey = (apiKey: string) =>
  Buffer.concat([RECORDS, literal("authorization", `ApiKey ${apiKey}`)]);

/**
 * A message of gRPC.
 * @param said Length that it claims to have.
 */
export function message(bytes: Uint8Array, said = bytes.length, compressed = false): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed ? 1 : 0, 0);
  head.writeUInt32BE(said, 1);
  return Buffer.concat([head, bytes]);
}
