/** The handler behind `node:http`. */
import { createServer } from "node:http";
import process from "node:process";
import { handler } from "./handler.js";
import { listener } from "./listener.js";

const answer = listener(handler);
const server = createServer((incoming, outgoing) => {
  if (incoming.url !== "/api/graphql") return outgoing.writeHead(404).end();
  // Check your user's session here, and answer 401 without one.
  return answer(incoming, outgoing);
});
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log(server.address()));
