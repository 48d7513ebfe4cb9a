import { Writable } from "node:stream";
import type { Logger } from "@saas-management/sdk";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { connectClient, passPause, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";

const QUERY = "query Names { ok }";
const told = (what: string) => `saas-management: GraphQL query Names: ${what}`;

async function retryOnce(logger: Logger): Promise<void> {
  const { client, clock } = await connectClient(
    (_, response, index) =>
      json(response, index === 0 ? {} : { data: { ok: true } }, { status: index === 0 ? 503 : 200 }),
    { logger },
  );
  const data = client.request(QUERY, {});
  await passPause(clock);
  await data;
}

function jsonLines() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { lines, stream };
}

test.each([
  ["pino", (logger: pino.Logger) => logger],
  ["a child of it", (logger: pino.Logger) => logger.child({ job: "nightly" })],
])("%s writes JSON lines with the fields of the events", async (_, make) => {
  const { lines, stream } = jsonLines();
  await retryOnce(make(pino({ level: "debug" }, stream)));
  const about = { api: "graphql", operation: "Names" };
  expect(lines).toMatchObject([
    {
      level: 20,
      msg: told("failure"),
      type: "response",
      ...about,
      attempt: 1,
    },
    { level: 40, msg: told("retrying"), type: "retry", ...about, attempt: 1 },
    {
      level: 20,
      msg: told("success"),
      type: "response",
      ...about,
      attempt: 2,
    },
  ]);
  expect(lines[1]).toMatchObject({ code: "TRANSPORT_FAILED", delayMs: expect.any(Number) });
});

test("pino shows an error with its stack, under err", async () => {
  const { lines, stream } = jsonLines();
  const { client } = await connectClient((_, response) => json(response, {}, { status: 400 }), {
    logger: pino(stream),
    onEvent: () => {
      throw new RangeError("of the hook");
    },
  });
  await rejection(client.request(QUERY, {}));
  expect(lines[0]).toMatchObject({
    msg: "saas-management: onEvent threw an exception",
    err: { type: "RangeError", message: "of the hook", stack: expect.stringContaining("loggers.test.ts") },
  });
});

test("passes the message first to a logger that expects it first", async () => {
  const debug = vi.spyOn(console, "debug").mockImplementation(() => {});
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  await retryOnce(console);
  expect(warn.mock.calls).toMatchObject([
    ["saas-management: GraphQL query Names: retrying", { type: "retry", attempt: 1 }],
  ]);
  expect(debug).toHaveBeenCalledTimes(2);
  vi.restoreAllMocks();
});

test("bunyan is recognized by addSerializers", async () => {
  const told: unknown[][] = [];
  const hear = (...args: unknown[]) => void told.push(args);
  const methods = { debug: hear, info: hear, warn: hear, error: hear };
  await retryOnce({ ...methods, ...{ child: () => {}, addSerializers: () => {} } });
  expect(told[1]).toMatchObject([{ type: "retry" }, "saas-management: GraphQL query Names: retrying"]);
});
