import type { IncomingMessage, ServerResponse } from "node:http";

/** Turns a handler of web requests into a listener for `node:http` and Express. */
export function listener(handler: (request: Request) => Promise<Response>) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", headers } = incoming;
    // node:http accepts this method, but a Request can't have it.
    if (method === "TRACE") {
      outgoing.writeHead(405, { allow: "POST" }).end();
      return;
    }
    const left = new AbortController();
    outgoing.on("close", () => left.abort());
    try {
      const request = new Request("http://localhost/graphql", {
        method,
        // The handler reads no other header.
        headers: { "content-type": headers["content-type"] ?? "" },
        signal: left.signal,
        ...(method === "POST" ? { body: bodyOf(incoming), duplex: "half" } : {}),
      });
      const response = await handler(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    } catch {
      outgoing.writeHead(500).end();
    }
  };
}

/** Reads only as much as the handler asks for, so that the handler's limit applies. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}
