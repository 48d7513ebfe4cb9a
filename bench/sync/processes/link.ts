/**
 * Imitates a link to a server, with limited bandwidth and a delay, but no loss: a TCP proxy that prints its port.
 *
 * Arguments: a {@link LinkTask} as JSON.
 */
import { connect, createServer, type Socket } from "node:net";
import { Lane } from "../lane.js";

/** The link to imitate. Each direction has the whole bandwidth. */
export interface LinkTask {
  /** Port of the server on this machine. */
  readonly port: number;
  readonly mbitPerSecond: number;
  readonly roundTripMs: number;
}

const { port, mbitPerSecond, roundTripMs }: LinkTask = JSON.parse(process.argv[2] ?? "");
const bytesPerMs = (mbitPerSecond * 1e6) / 8 / 1000;

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ host: "127.0.0.1", port, noDelay: true });
  carry(near, far);
  carry(far, near);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});

function carry(from: Socket, to: Socket): void {
  const lane = new Lane(bytesPerMs, roundTripMs / 2);
  from.on("data", (bytes: Buffer) => {
    const fullForMs = lane.enter(bytes, (piece) => to.write(piece));
    if (fullForMs === 0) return;
    from.pause();
    setTimeout(() => from.resume(), fullForMs);
  });
  from.on("error", () => to.destroy());
  from.on("close", () => lane.last(() => to.end()));
}
