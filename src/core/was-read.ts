import { Readable } from "node:stream";

/** Whether somebody has read from a stream, of Node or of the web. Other sources do not tell. */
export function wasRead(source: object): boolean {
  // One that failed unread says itself how.
  if (source instanceof Readable) return source.readableDidRead;
  return source instanceof ReadableStream && Reflect.apply(Readable.isDisturbed, Readable, [source]) === true;
}
