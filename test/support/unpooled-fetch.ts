import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";

/** A fetch whose connection ends with its answer; Node's own keeps its connections for seconds. */
export async function unpooledFetch(url: string, { method, headers, body }: RequestInit): Promise<Response> {
  const sent = request(url, { method, headers: Object.fromEntries(new Headers(headers)), agent: false });
  sent.end(body);
  const [answer] = await once(sent, "response");
  return new Response(await text(answer), { status: answer.statusCode, headers: answer.headers });
}
