import { createServer, type IncomingMessage } from "node:http";
import { onLoopback } from "../../support/tcp-peers.js";
import { MAX_PAGE, pageOf, WORKSPACE } from "./rest-vendor-data.js";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const KEY = "vk_live_4f9c27d1a8e35b60";

/** A vendor with a paged API behind a key: users, plans, seats and activity of one workspace. For all tests of a file. */
export function restVendor() {
  const instead: Answer[] = [];
  const server = createServer((request, response) => {
    const { status, headers, body = "" } = instead.shift() ?? answerTo(request);
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(body);
  });
  const peer = onLoopback(server);
  return {
    apiKey: KEY,
    get baseUrl() {
      return `http://127.0.0.1:${peer.port}`;
    },
    /** The next requests get these answers. */
    answer: (...answers: readonly Answer[]) => void instead.push(...answers),
  };
}

function answerTo({ url = "", headers }: IncomingMessage): Answer {
  if (headers.authorization !== `Bearer ${KEY}`) return { status: 401, body: '{"error":"unauthorized"}' };
  const { pathname, searchParams } = new URL(url, "http://localhost");
  if (pathname === "/v1/workspace") return { status: 200, body: JSON.stringify(WORKSPACE) };
  const limit = Math.min(Number(searchParams.get("limit") ?? MAX_PAGE), MAX_PAGE);
  const cursor = searchParams.get("cursor") ?? undefined;
  const page = pageOf(pathname, limit, cursor, searchParams.get("since") ?? "");
  if (page === undefined) return { status: 404, body: '{"error":"not found"}' };
  return { status: 200, body: JSON.stringify(page) };
}
