import type { ServerResponse } from "node:http";
import type { VendorAnswer } from "./answer.js";

/** Statuses whose answers have no body and no length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Sends an answer to its end, or to where it is cut. */
export async function sendAnswer(response: ServerResponse, answer: VendorAnswer): Promise<void> {
  const { status, headers, body, cutAfter } = answer;
  if (cutAfter === -1) {
    response.socket?.resetAndDestroy();
    return;
  }
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, name === "set-cookie" ? value.split("\n") : value);
  }
  response.sendDate = false;
  if (!BODILESS.has(status) && !response.hasHeader("content-length"))
    response.setHeader("content-length", body.length);
  response.writeHead(status);
  if (cutAfter !== undefined) {
    response.flushHeaders();
    if (cutAfter > 0) response.write(body.subarray(0, cutAfter));
    // Not a reset: the client would lose bytes that it has not read.
    response.socket?.destroySoon();
    return;
  }
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.end(BODILESS.has(status) ? undefined : body);
  });
}
