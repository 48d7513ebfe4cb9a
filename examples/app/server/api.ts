import type { IncomingMessage, ServerResponse } from "node:http";
import { createGraphQLHandler, type GraphQLClient } from "@saas-management/sdk/graphql";
import * as codegen from "../src/codegen/documents.ts";
import * as tada from "../src/tada/documents.ts";

/** Answers `/api/graphql` with the key of the server, for what the pages send and for nothing else. */
export function createApi(client: GraphQLClient) {
  const handle = createGraphQLHandler({
    client,
    allow: [
      "createProcurementCase",
      "updateProcurementCase",
      ...Object.values(codegen),
      ...Object.values(tada),
    ],
  });
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    // Here an app of your own checks the session of its user.
    const answer = await handle(requestOf(incoming, outgoing));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
}

/** The request as the Web's; its body is read only as far as the handler's limit allows. */
function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", headers } = incoming;
  const left = new AbortController();
  outgoing.on("close", () => left.abort());
  const chunks = incoming.iterator();
  const body = new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const init = { method, headers: { "content-type": headers["content-type"] ?? "" }, signal: left.signal };
  const sent = method === "POST" ? { ...init, body, duplex: "half" } : init;
  return new Request("http://localhost/api/graphql", sent);
}
