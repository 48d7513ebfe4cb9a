/**
 * A reference server in a process of its own, which tells what it holds when it is asked. Started with --expose-gc. The
 * commands: `quiet` waits until the clients have been heard, `held` tells the memory then, `left` tells it once they
 * are gone, `expire` lets the lease of every batch run out.
 */
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { startReferenceServer } from "../../src/reference-server/index.js";
import { LEASE_MS } from "../../src/reference-server/sync/batch.js";

/** Turns of the event loop without a byte on any connection, after which what was sent counts as heard. */
const QUIET_TURNS = 25;
/** Collections that differ by no more than this have found all there is. */
const AGREEMENT_BYTES = 16 * 1024;

const sockets = new Set<Socket>();
subscribe("net.server.socket", (message) => {
  const socket: unknown = typeof message === "object" && message !== null && Reflect.get(message, "socket");
  if (!(socket instanceof Socket)) return;
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
});

const { baseUrl, syncUrl, apiKey, installationId, clock } = await startReferenceServer();

const turn = () => new Promise((resolve) => setImmediate(resolve));
const traffic = () =>
  [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0);

async function quiet(): Promise<void> {
  let before = -1;
  for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
    const now = sockets.size + traffic();
    if (now !== before) turns = 0;
    before = now;
    await turn();
  }
}

/** After collections until two agree: what the first one lets go of may free more. */
async function bytes(): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    globalThis.gc?.();
    await turn();
    // Buffers are part of what is external.
    const { heapUsed, external } = process.memoryUsage();
    const now = heapUsed + external;
    if (now > before - AGREEMENT_BYTES) return Math.min(now, before);
    before = now;
  }
}

async function answer(command: unknown): Promise<number> {
  if (command === "expire") clock.advance(LEASE_MS);
  if (command === "left") while (sockets.size > 0) await turn();
  await quiet();
  return command === "held" || command === "left" ? bytes() : 0;
}

process.on("message", (command) => void answer(command).then((held) => process.send?.({ bytes: held })));
process.on("disconnect", () => process.exit());
process.send?.({ baseUrl, syncUrl, apiKey, installationId });
