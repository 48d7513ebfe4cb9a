import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A link that delays everything and loses nothing: a TCP proxy. */
export interface SlowLink {
  readonly url: string;
  close(): Promise<void>;
}

export async function startSlowLink(
  target: URL,
  options: { readonly roundTripMs: number },
): Promise<SlowLink> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    }
    near.pipe(delayLine(options.roundTripMs / 2)).pipe(far);
    far.pipe(delayLine(options.roundTripMs / 2)).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The link has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Everything comes out `ms` later. As many bytes as one likes are under way, as on a long wide link. */
function delayLine(ms: number): Transform {
  return new Transform({
    transform(chunk, _encoding, taken) {
      setTimeout(() => this.push(chunk), ms);
      taken();
    },
    flush(done) {
      setTimeout(done, ms);
    },
  });
}
