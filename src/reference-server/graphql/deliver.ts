import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Response } from "graphql-http";
import type { Clock } from "../../core/clock.js";
import type { ConnectionEnd } from "../connections.js";
import type { BodyDelivery, SlowBodyFault, TruncatedBodyFault } from "../faults/graphql-kinds.js";

/** What an answer is sent with. */
export interface DeliveryOptions {
  /** How a fault breaks the body; undefined where it is sent as a whole. */
  readonly broken: BodyDelivery | undefined;
  readonly clock: Clock;
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal;
  readonly endConnection: (how: ConnectionEnd) => void;
}

/** Sends an answer. Resolves when all of it was handed over, or its caller has gone. */
export async function deliver(
  [text, { status, statusText, headers }]: Response,
  response: ServerResponse,
  options: DeliveryOptions,
): Promise<void> {
  const hasBody = status !== 204 && status !== 304;
  const body = Buffer.from(hasBody ? (text ?? "") : "");
  const { broken } = options;
  const sent = broken?.type === "truncated-body" ? body.subarray(0, body.length / 2) : body;
  const declared = broken?.type === "truncated-body" && (broken.ending ?? "end") === "end" ? sent : body;
  const length = hasBody && broken?.type !== "endless-body" ? { "content-length": declared.length } : {};
  response.writeHead(status, statusText, { ...length, ...headers, "x-request-id": randomUUID() });
  if (!hasBody) return void response.end();
  switch (broken?.type) {
    case undefined:
      return void response.end(sent);
    case "truncated-body":
      return truncate(response, sent, broken, options);
    case "slow-body":
      return trickle(response, sent, broken, options);
    case "endless-body":
      response.write(sent);
      return pour(response, options.signal);
  }
}

function truncate(
  response: ServerResponse,
  half: Buffer,
  { ending = "end" }: TruncatedBodyFault,
  { endConnection }: DeliveryOptions,
): void {
  if (ending === "end") response.end(half);
  else response.write(half, () => endConnection(ending === "close" ? "drop" : "reset"));
}

async function trickle(
  response: ServerResponse,
  body: Buffer,
  { ms, pieces = 2 }: SlowBodyFault,
  { clock, signal }: DeliveryOptions,
): Promise<void> {
  response.flushHeaders();
  const size = Math.ceil(body.length / pieces);
  for (let piece = 0; piece < pieces; piece++) {
    await clock.sleep(ms, signal);
    response.write(body.subarray(piece * size, (piece + 1) * size));
  }
  response.end();
}

/** More than a response holds back, so that each write waits for the reader. */
const SPACES = Buffer.alloc(64 * 1024, " ");

async function pour(response: ServerResponse, signal: AbortSignal): Promise<void> {
  for (;;) if (!response.write(SPACES)) await once(response, "drain", { signal });
}
