/** Calls the route as Next does: one function per method. */
import { createServer } from "node:http";
import process from "node:process";
import { listener } from "./listener.ts";
import { POST } from "./next-route.ts";

const answer = listener(POST);
const server = createServer((incoming, outgoing) => {
  if (incoming.url === "/api/graphql" && incoming.method === "POST") answer(incoming, outgoing);
  else outgoing.writeHead(incoming.url === "/api/graphql" ? 405 : 404).end();
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${server.address().port}\n`));
