/**
 * A reference server in a process of its own that reports its memory. Started with --expose-gc. Commands: `quiet` waits
 * until everything was received, `held` then reports the memory, `left` reports it after the last connection has closed.
 */
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { startReferenceServer } from "../../../src/reference-server/index.js";

/** Turns of the event loop without traffic after which everything counts as received. */
const QUIET_TURNS = 25;
/** Garbage collections that differ by less are complete. */
const AGREEMENT_BYTES = 16 * 1024;

const sockets = new Set<Socket>();
subscribe("net.server.socket", (message) => {
  const socket: unknown = typeof message === "object" && message !== null && Reflect.get(message, "socket");
  if (!(socket instanceof Socket)) return;
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
});

const { baseUrl, syncUrl, apiKey, installationId } = await startReferenceServer();

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

/** Collects garbage until two results agree. */
async function bytes(): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    globalThis.gc?.();
    await turn();
    const { heapUsed, external } = process.memoryUsage();
    const now = heapUsed + external;
    if (now > before - AGREEMENT_BYTES) return Math.min(now, before);
    before = now;
  }
}

async function answer(command: unknown): Promise<number> {
  if (command === "left") while (sockets.size > 0) await turn();
  await quiet();
  return command === "held" || command === "left" ? bytes() : 0;
}

process.on("message", (command) => void answer(command).then((held) => process.send?.({ bytes: held })));
process.on("disconnect", () => process.exit());
process.send?.({ baseUrl, syncUrl, apiKey, installationId });
