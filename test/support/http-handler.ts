import { createServer } from "node:http";
import { onTestFinished } from "vitest";

/** Serves a function from Request to Response with `node:http`; closed after the test. @returns its address */
export async function serveHandler(handler: (request: Request) => Promise<Response>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const chunks = incoming.iterator();
    const body = new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    });
    const init = { method, headers: { "content-type": headers["content-type"] ?? "" }, duplex: "half" };
    const sent = method === "POST" ? { ...init, body } : init;
    const answer = await handler(new Request(new URL(url, "http://localhost"), sent));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}
