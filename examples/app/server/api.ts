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
    // Request refuses some methods: what it throws would end the server.
    if (incoming.method !== "POST") return void outgoing.writeHead(405, { allow: "POST" }).end();
    // Here an app of your own checks the session of its user.
    const answer = await handle(requestOf(incoming, outgoing));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
}

/** The request as the Web's; its body is read only as far as the handler's limit allows. */
function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
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
  const headers = { "content-type": incoming.headers["content-type"] ?? "" };
  const init = { method: "POST", headers, body, duplex: "half", signal: left.signal };
  return new Request("http://localhost/api/graphql", init);
}
