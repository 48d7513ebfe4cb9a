import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listener } from "../../examples/handlers/listener.js";

/** Serves a function from Request to Response with `node:http`; closed after the test. @returns its address */
export async function serveHandler(handler: (request: Request) => Promise<Response>): Promise<string> {
  const server = createServer(listener(handler));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}
