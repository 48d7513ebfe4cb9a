/**
 * A vendor with a paged API behind a key: users, plans, seats and activity of one workspace. It tells its address to
 * the parent process, which may send it an answer that the next request gets instead.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { MAX_PAGE, pageOf, WORKSPACE } from "./rest-vendor-data.js";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const KEY = process.env["VENDOR_KEY"] ?? "";
const instead: Answer[] = [];
process.on("message", (answer: Answer) => instead.push(answer));
process.on("disconnect", () => process.exit());

const server = createServer((request, response) => {
  const { status, headers, body = "" } = instead.shift() ?? answerTo(request);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(`http://127.0.0.1:${port}`);
});

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
