import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Response } from "graphql-http";
import type { Clock } from "../../core/clock.js";
import type { ConnectionEnd } from "../network.js";
import type { BodyFault } from "./faults.js";

export interface DeliveryOptions {
  /** How a fault breaks the body; undefined to send it as a whole. */
  readonly broken: BodyFault | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly endConnection: (how: ConnectionEnd) => void;
}

export async function sendAnswer(
  [text, { status, statusText, headers }]: Response,
  response: ServerResponse,
  { broken, clock, signal, endConnection }: DeliveryOptions,
): Promise<void> {
  const hasBody = status !== 204 && status !== 304;
  const body = Buffer.from(hasBody ? (text ?? "") : "");
  const sent = broken?.fault === "truncated-body" ? body.subarray(0, body.length / 2) : body;
  const declared = broken?.fault === "truncated-body" && broken.ending === "end" ? sent : body;
  const length = hasBody && broken?.fault !== "endless-body" ? { "content-length": declared.length } : {};
  response.writeHead(status, statusText, { ...length, ...headers, "x-request-id": randomUUID() });
  if (!hasBody) return void response.end();
  switch (broken?.fault) {
    case undefined:
      return void response.end(sent);
    case "truncated-body":
      if (broken.ending === "end") return void response.end(sent);
      return void response.write(sent, () => endConnection(broken.ending === "close" ? "drop" : "reset"));
    case "slow-body":
      return sendSlowly(response, sent, broken, clock, signal);
    case "endless-body":
      response.write(sent);
      return sendForever(response, signal);
  }
}

async function sendSlowly(
  response: ServerResponse,
  body: Buffer,
  { ms, pieces }: Extract<BodyFault, { fault: "slow-body" }>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  response.flushHeaders();
  const size = Math.ceil(body.length / pieces);
  for (let piece = 0; piece < pieces; piece++) {
    await clock.sleep(ms, signal);
    response.write(body.subarray(piece * size, (piece + 1) * size));
  }
  response.end();
}

/** More than a response buffers, so that each write waits for the reader. */
const SPACES = Buffer.alloc(64 * 1024, " ");

async function sendForever(response: ServerResponse, signal: AbortSignal): Promise<void> {
  for (;;) if (!response.write(SPACES)) await once(response, "drain", { signal });
}
