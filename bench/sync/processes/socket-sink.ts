/**
 * Takes what sockets bring, drops it, and answers when all has come. Prints its port.
 *
 * Arguments: `{ bytes }` of each socket as JSON.
 */
import { createServer } from "node:net";

const { bytes }: { readonly bytes: number } = JSON.parse(process.argv[2] ?? "");
const server = createServer((socket) => {
  let left = bytes;
  socket.on("data", (piece) => {
    left -= piece.length;
    if (left === 0) socket.end("all");
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});
