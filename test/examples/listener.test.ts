import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serveHandler } from "../support/http-server.js";

test("the examples' listener answers 405 to a method that a Request can't have, and carries on", async () => {
  const origin = await serveHandler(async ({ method }) => new Response(method));
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  socket.end("TRACE / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1.1 405 /);
  expect(await (await fetch(origin, { method: "POST", body: "x" })).text()).toBe("POST");
});

test("the examples' listener aborts the request when the page goes away", async () => {
  let asked = () => {};
  const arrived = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let left: Promise<unknown> = Promise.resolve();
  const origin = await serveHandler(({ signal }) => {
    left = once(signal, "abort");
    asked();
    return new Promise(() => {});
  });
  const page = new AbortController();
  const request = fetch(origin, { signal: page.signal }).catch(() => {});
  await arrived;
  page.abort();
  await Promise.all([request, left]);
});
