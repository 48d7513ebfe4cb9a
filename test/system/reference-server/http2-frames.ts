/** HTTP/2 frames as bytes (RFC 9113), for clients that no library would be. */

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export const FrameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
  unknown: 0x42,
} as const;

export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A literal header of HPACK (RFC 7541), not added to the table. */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** A literal header that is added to the table as entry 62. */
export function added(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);
}

/** The header that was added last. */
export const LATEST = Buffer.from([0x80 | 62]);

/** The headers of a call without a key. */
export function callHeaders(path: string): Buffer {
  return Buffer.concat([
    literal(":method", "POST"),
    literal(":scheme", "http"),
    literal(":path", path),
    literal(":authority", "localhost"),
    literal("content-type", "application/grpc"),
    literal("te", "trailers"),
  ]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([length(bytes.length), bytes]);
}

/** A number with a prefix of seven bits. */
function length(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
