/** The handler in Express. */
import process from "node:process";
import express from "express";
import { handler } from "./handler.js";
import { listener } from "./listener.js";

const app = express();
// Put it after the check of your user's session, and before express.json(), which would read the body.
app.post("/api/graphql", listener(handler));
app.use(express.json());
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () =>
  console.log(server.address()),
);
