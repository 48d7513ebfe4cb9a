/** The handler in Hono, here on Node. */
import process from "node:process";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { handler } from "./handler.js";

const app = new Hono();
// Put it after the check of your user's session.
app.post("/api/graphql", ({ req }) => handler(req.raw));
serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), hostname: "127.0.0.1" }, console.log);
