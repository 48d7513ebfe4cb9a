import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { parseRetryAfter } from "../../core/retry.js";

/** Trailers of an answer. */
interface Trailers {
  get(name: string): readonly (string | Uint8Array)[];
}

/** What the service says of another attempt. */
export interface RetryHint {
  /** False where it asks for none. */
  readonly retryable: boolean;
  /** How long it asks to wait, in milliseconds; undefined where it does not say. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Reads what gRPC services say in trailers, in whatever way they say it: `grpc-retry-pushback-ms` (gRFC A6, where
 * anything but a number of milliseconds means not to try again), `retry-after`, or `google.rpc.RetryInfo` in
 * `grpc-status-details-bin`.
 */
export function readRetryHint(trailers: Trailers, now: number): RetryHint {
  const [pushback] = trailers.get("grpc-retry-pushback-ms");
  if (pushback !== undefined) {
    const retryAfterMs = /^\d{1,9}$/.test(String(pushback)) ? Number(pushback) : undefined;
    return { retryable: retryAfterMs !== undefined, retryAfterMs };
  }
  const [retryAfter] = trailers.get("retry-after");
  const [details] = trailers.get("grpc-status-details-bin");
  const told = typeof retryAfter === "string" ? parseRetryAfter(retryAfter, now) : undefined;
  return {
    retryable: true,
    retryAfterMs: told ?? (details instanceof Uint8Array ? retryDelayMs(details) : undefined),
  };
}

/** Numbers of the fields of `google.rpc.Status`, `google.protobuf.Any`, `google.rpc.RetryInfo` and `Duration`. */
const STATUS = { details: 3 };
const ANY = { typeUrl: 1, value: 2 };
const RETRY_INFO = { retryDelay: 1 };
const DURATION = { seconds: 1, nanos: 2 };

/** The delay of the first RetryInfo in an encoded `google.rpc.Status`; undefined where there is none to be read. */
function retryDelayMs(status: Uint8Array): number | undefined {
  try {
    const infos = bytesOf(status, STATUS.details)
      .filter((any) => bytesOf(any, ANY.typeUrl).some(isRetryInfo))
      .flatMap((any) => bytesOf(any, ANY.value));
    const [delay] = infos.flatMap((info) => bytesOf(info, RETRY_INFO.retryDelay));
    if (delay === undefined) return undefined;
    const ms = numberOf(delay, DURATION.seconds) * 1000 + numberOf(delay, DURATION.nanos) / 1e6;
    return Math.max(0, ms);
  } catch {
    // What cannot be read says nothing.
    return undefined;
  }
}

function isRetryInfo(typeUrl: Uint8Array): boolean {
  return new TextDecoder().decode(typeUrl).endsWith("/google.rpc.RetryInfo");
}

/** The values of a field of a message that are messages, strings or bytes. */
function bytesOf(message: Uint8Array, fieldNumber: number): Uint8Array[] {
  const values: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === fieldNumber && wireType === WireType.LengthDelimited) values.push(reader.bytes());
    else reader.skip(wireType, number);
  }
  return values;
}

/** The last value of a field of a message that is a number; 0 where there is none. */
function numberOf(message: Uint8Array, fieldNumber: number): number {
  let value = 0;
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === fieldNumber && wireType === WireType.Varint) value = Number(reader.int64());
    else reader.skip(wireType, number);
  }
  return value;
}
