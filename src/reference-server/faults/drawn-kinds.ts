import { constants } from "node:http2";
import { status } from "@grpc/grpc-js";
import type { GraphQLFaultKind } from "./graphql-kinds.js";
import type { SeededRandom } from "./seeded-random.js";
import type { FaultMoment } from "./shared-kinds.js";
import type { SyncFaultKind } from "./sync-kinds.js";

const MOMENTS: readonly [FaultMoment, ...FaultMoment[]] = ["request", "answer"];

/** Error codes of HTTP/2 that networks and busy servers reset a stream with. */
const RESETS = [
  constants.NGHTTP2_INTERNAL_ERROR,
  constants.NGHTTP2_REFUSED_STREAM,
  constants.NGHTTP2_CANCEL,
] as const;

/** What networks and busy servers do to a call of the Sync API. */
export function transientSyncKind(random: SeededRandom): SyncFaultKind {
  const at = random.pick(MOMENTS);
  return random.pick<SyncFaultKind>([
    { type: "drop", at },
    { type: "reset", at },
    { type: "rst-stream", code: random.pick(RESETS), at },
    { type: "goaway", grace: random.pick([true, false]), at },
    { type: "grpc-status", code: status.UNAVAILABLE, at },
  ]);
}

/**
 * Whatever can happen to a call of the Sync API and takes no time.
 * @param inStream Whether it happens at a message of a stream.
 */
export function anySyncKind(random: SeededRandom, inStream: boolean): SyncFaultKind {
  const at = random.pick(MOMENTS);
  return random.pick<SyncFaultKind>([
    transientSyncKind(random),
    { type: "grpc-status", code: 1 + random.below(status.UNAUTHENTICATED), at },
    { type: "lease-expiry", at },
    { type: "lock-stolen", at },
    { type: "revoke-key", at },
    inStream ? { type: "early-answer", at } : { type: "oversized-answer" },
  ]);
}

/** What networks and busy servers do to a request of the GraphQL API. */
export function transientGraphQLKind(random: SeededRandom): GraphQLFaultKind {
  const at = random.pick(MOMENTS);
  const status = random.pick([408, 429, 502, 503, 504]);
  const as = random.pick(["seconds", "date"] as const);
  return random.pick<GraphQLFaultKind>([
    { type: "drop", at },
    { type: "reset", at },
    { type: "http", status, retryAfter: { seconds: 0, as }, at },
    { type: "html", status: random.pick([502, 503, 504]) },
  ]);
}

/** Whatever can happen to a request of the GraphQL API and takes no time. */
export function anyGraphQLKind(random: SeededRandom): GraphQLFaultKind {
  const at = random.pick(MOMENTS);
  const status = random.pick([200, 400, 401, 403, 404, 413, 500]);
  return random.pick<GraphQLFaultKind>([
    transientGraphQLKind(random),
    { type: "http", status, headers: { "content-type": "application/json" }, body: "{}", at },
    { type: "html" },
    { type: "graphql-errors", data: random.pick(["none", "partial"] as const) },
    { type: "truncated-body", ending: random.pick(["end", "close", "reset"] as const) },
    { type: "revoke-key", at },
  ]);
}
