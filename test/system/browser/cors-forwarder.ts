import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** A server on loopback. */
export interface LoopbackServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves these files, by path. */
export function startFileServer(
  files: Readonly<Record<string, { readonly type: string; readonly body: string | Uint8Array }>>,
): Promise<LoopbackServer> {
  return listen((request, response) => {
    const file = files[request.url ?? ""];
    if (file === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": file.type }).end(file.body);
  });
}

/**
 * Forwards to an API without CORS, and allows pages of one origin to use it: they may send the key and a JSON body, and
 * nothing else that needs permission.
 */
export function startCorsForwarder(target: string, allowed: () => string): Promise<LoopbackServer> {
  return listen(async (request, response) => {
    response.setHeader("access-control-allow-origin", allowed());
    if (request.method === "OPTIONS") {
      response.setHeader("access-control-allow-methods", "POST");
      response.setHeader("access-control-allow-headers", "authorization, content-type");
      return response.writeHead(204).end();
    }
    const { authorization, "content-type": type } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: "POST",
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(type === undefined ? {} : { "content-type": type }),
      },
      body: new Uint8Array(await buffer(request)),
    });
    response.writeHead(answer.status, {
      "content-type": answer.headers.get("content-type") ?? "application/octet-stream",
    });
    return response.end(new Uint8Array(await answer.arrayBuffer()));
  });
}

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<LoopbackServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
