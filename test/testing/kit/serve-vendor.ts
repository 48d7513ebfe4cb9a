import { createAdaptorServer } from "@hono/node-server";
import { onTestFinished } from "vitest";

/** Serves a vendor on loopback; closed after the test. @returns its origin */
export async function serveVendor(handler: (request: Request) => Promise<Response>): Promise<string> {
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}
