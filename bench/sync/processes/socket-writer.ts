/**
 * Writes bytes to a socket, and prints how fast they came: what a link carries.
 *
 * Arguments: `{ port, bytes }` as JSON; whole pieces.
 */
import { once } from "node:events";
import { connect } from "node:net";

const PIECE = Buffer.alloc(256 * 1024, 7);

const { port, bytes }: { readonly port: number; readonly bytes: number } = JSON.parse(process.argv[2] ?? "");
const socket = connect({ host: "127.0.0.1", port });
await once(socket, "connect");
const since = performance.now();
let sent = 0;
for (; sent < bytes; sent += PIECE.length) if (!socket.write(PIECE)) await once(socket, "drain");
await once(socket, "data");
const mbitPerSecond = (sent * 8) / 1000 / (performance.now() - since);
socket.destroy();
console.log(JSON.stringify({ mbitPerSecond, sendingMbitPerSecond: mbitPerSecond }));
