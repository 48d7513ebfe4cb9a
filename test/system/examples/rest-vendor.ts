import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { onLoopback } from "../../support/tcp-peers.js";
import { MAX_PAGE, pageOf, WORKSPACE } from "./rest-vendor-data.js";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const CLIENT = { id: "polarvik-sync", secret: "vs_live_4f9c27d1a8e35b60" };
const TOKEN_SECONDS = 3600;

/**
 * A vendor with a paged API that needs OAuth 2.0 tokens: users, plans, seats and activity of one workspace. For all
 * tests of a file.
 */
export function restVendor() {
  const instead: Answer[] = [];
  const tokens: string[] = [];
  let onAnswer = () => {};
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const isLogin = request.url === "/oauth/token";
    const own = isLogin ? login(form, tokens) : answerTo(request, tokens.at(-1));
    onAnswer();
    const { status, headers, body = "" } = (isLogin ? undefined : instead.shift()) ?? own;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(body);
  });
  const peer = onLoopback(server);
  return {
    client: CLIENT,
    /** The tokens that were issued; only the last one is valid. */
    tokens,
    get baseUrl() {
      return `http://127.0.0.1:${peer.port}`;
    },
    /** The next requests get these answers. */
    answer: (...answers: readonly Answer[]) => void instead.push(...answers),
    /** How many of these answers are left. */
    waiting: () => instead.length,
    onAnswer: (callback: () => void) => {
      onAnswer = callback;
    },
  };
}

function login(form: URLSearchParams, tokens: string[]): Answer {
  const isKnown =
    form.get("grant_type") === "client_credentials" &&
    form.get("client_id") === CLIENT.id &&
    form.get("client_secret") === CLIENT.secret;
  if (!isKnown) return { status: 401, body: '{"error":"invalid_client"}' };
  tokens.push(`vt_${tokens.length}_9d2c71e0b5a84f36`);
  const token = { access_token: tokens.at(-1), token_type: "Bearer", expires_in: TOKEN_SECONDS };
  return { status: 200, body: JSON.stringify(token) };
}

function answerTo({ url = "", headers }: IncomingMessage, token: string | undefined): Answer {
  if (token === undefined || headers.authorization !== `Bearer ${token}`)
    return { status: 401, body: '{"error":"unauthorized"}' };
  const { pathname, searchParams } = new URL(url, "http://localhost");
  if (pathname === "/v1/workspace") return { status: 200, body: JSON.stringify(WORKSPACE) };
  const limit = Math.min(Number(searchParams.get("limit") ?? MAX_PAGE), MAX_PAGE);
  const cursor = searchParams.get("cursor") ?? undefined;
  const page = pageOf(pathname, limit, cursor, searchParams.get("since") ?? "");
  if (page === undefined) return { status: 404, body: '{"error":"not found"}' };
  return { status: 200, body: JSON.stringify(page) };
}
