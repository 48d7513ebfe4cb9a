import { createServer } from "node:http";
import { Forwarding } from "./forwarding.js";
import { intercept } from "./intercept.js";
import { Playback, type PlaybackOptions } from "./playback.js";
import { type OpenRun, type RequestHandler, RUN_HEADER } from "./routes.js";

/** The simulated vendor: one HTTP server on loopback that plays recordings, or records, for all requests of the process. */
export type Vendor = Awaited<ReturnType<typeof startVendor>>;

/** @param routeOf As `intercept` takes it. */
export async function startVendor(routeOf?: Parameters<typeof intercept>[0]) {
  const runs = new Map<string, RequestHandler>();
  let count = 0;
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    // A request of a run that has ended must not be answered by the next one.
    const run = runs.get(String(request.headers[RUN_HEADER]));
    if (run === undefined) response.destroy();
    else run(request, response).catch(() => response.destroy());
  });
  // Connections wait for as long as virtual time stands still.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  server.on("clientError", (_, socket) => socket.destroy());
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
    });
  });
  const open: OpenRun = (handler) => {
    count += 1;
    const run = String(count);
    runs.set(run, handler);
    return { route: { port, run, pending: 0 }, end: () => runs.delete(run) };
  };
  const restore = intercept(routeOf);
  return {
    /** Plays a recording for one run, under at most one fault. */
    play: (options: PlaybackOptions) => new Playback(options, open),
    /** Passes requests on to the real vendor, and notes what it answers. */
    forward: () => new Forwarding(open),
    close: () =>
      new Promise<void>((resolve) => {
        restore();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
