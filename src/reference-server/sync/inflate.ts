import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A field that no message of the contract has: readers skip it. */
const PADDING_FIELD = 1000;

/** The encoded message, with a field of padding that makes it at least so large and means nothing. */
export function inflate(message: Uint8Array, bytes: number): Buffer {
  const missing = bytes - message.length;
  if (missing <= 0) return Buffer.from(message);
  const padding = new BinaryWriter().tag(PADDING_FIELD, WireType.LengthDelimited);
  const filler = Buffer.alloc(missing);
  return Buffer.concat([message, padding.bytes(filler).finish()]);
}
