import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { listen } from "../../../reference-server/network.js";
import { messageOf } from "../../problem.js";
import { openApi } from "./openapi.js";
import { type Controlled, ROUTES } from "./routes.js";

const MAX_BODY_BYTES = 1024 * 1024;
const HOST = "127.0.0.1";

interface ControlServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the control API on loopback: whoever reaches it can do everything. */
export async function startControlServer(controlled: Controlled, port: number): Promise<ControlServer> {
  let url = "";
  const server = createServer((request, response) => {
    void answer(request, controlled, url).then(([status, value]) => send(response, status, value));
  });
  url = `http://${HOST}:${await listen(server, { port, host: HOST })}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = readonly [status: number, value: unknown];

async function answer(request: IncomingMessage, controlled: Controlled, own: string): Promise<Answer> {
  const { method = "", url = "", headers } = request;
  // A page in a browser must not control the server, also not by a name that points to this machine.
  const isPage = headers.origin !== undefined || headers["sec-fetch-site"]?.toString().startsWith("cross");
  if (isPage === true || headers.host !== new URL(own).host)
    return [403, { error: `The control API answers programs at ${own} only, not pages.` }];
  const { pathname, searchParams } = new URL(url, own);
  if (method === "GET" && pathname === "/openapi.json") return [200, openApi(own)];
  const methods = ROUTES.filter(({ path }) => path === pathname);
  const route = methods.find((candidate) => candidate.method === method);
  if (route === undefined && methods.length > 0)
    return [405, { error: `${pathname} knows ${methods.map((known) => known.method).join(", ")}.` }];
  if (route === undefined)
    return [404, { error: `There is no ${pathname}. GET ${own}/openapi.json lists what there is.` }];
  try {
    const input = method === "GET" ? Object.fromEntries(searchParams) : await readJson(request);
    return [200, (await route.run(input, controlled)) ?? null];
  } catch (error) {
    return [400, { error: error instanceof z.ZodError ? problemOf(error) : messageOf(error) }];
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES)
    throw new TypeError("The body is larger than 1 MiB.");
  const body = await text(request);
  try {
    return body.trim() === "" ? {} : JSON.parse(body);
  } catch {
    throw new TypeError("The body is not valid JSON.");
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "body" : path}: ${issue?.message ?? "invalid"}.`;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(body);
}
