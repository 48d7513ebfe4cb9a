import type { IncomingMessage } from "node:http";

/** Largest body of a request, in bytes. */
export const MAXIMUM_BODY_BYTES = 1024 * 1024;

/** What a body is given room for at first. */
const FIRST_BYTES = 16 * 1024;

/** The body as text; undefined where it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  // One buffer that grows, and no list of pieces: in pieces of one byte they would take a hundred times the body.
  let body: Buffer = Buffer.alloc(0);
  let length = 0;
  // A body that is too large is read to its end too: a client that is still sending would not see the answer.
  for await (const chunk of request) {
    const piece = Buffer.from(chunk);
    const end = length + piece.length;
    if (end <= MAXIMUM_BODY_BYTES) {
      if (end > body.length) body = withRoom(body, end);
      piece.copy(body, length);
    } else {
      body = Buffer.alloc(0);
    }
    length = end;
  }
  return length <= MAXIMUM_BODY_BYTES ? body.toString("utf8", 0, length) : undefined;
}

/** The same bytes with room for so many, and so much more that it seldom has to grow. */
function withRoom(body: Buffer, bytes: number): Buffer {
  const larger = Buffer.alloc(Math.min(MAXIMUM_BODY_BYTES, Math.max(FIRST_BYTES, bytes, body.length * 2)));
  body.copy(larger);
  return larger;
}
