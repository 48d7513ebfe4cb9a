import { constants } from "node:http2";
import { status } from "@grpc/grpc-js";
import type { BodyDelivery, GraphQLFaultKind, HttpFault, RetryAfterHint } from "./graphql-kinds.js";
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

/** Whatever can happen to a call of the Sync API. Parameters are those of {@link anySyncKind}. */
export function everySyncKind(random: SeededRandom, inStream: boolean): SyncFaultKind {
  const at = random.pick(MOMENTS);
  return random.pick<SyncFaultKind>([
    transientSyncKind(random),
    anySyncKind(random, inStream),
    anySyncKind(random, inStream),
    { type: "delay", ms: random.pick(PAUSES_MS), at },
    { type: "stall", at },
  ]);
}

/**
 * Whatever can happen to a request of the GraphQL API.
 * @param readsPages Whether its answer has a connection, whose pages can be broken.
 */
export function everyGraphQLKind(random: SeededRandom, readsPages: boolean): GraphQLFaultKind {
  const at = random.pick(MOMENTS);
  const pieces = 1 + random.below(MOST_PIECES);
  const slowBody = { type: "slow-body", ms: random.pick(PAUSES_MS), pieces } as const;
  const delivery = random.pick<BodyDelivery>([
    slowBody,
    { type: "truncated-body", ending: random.pick(["end", "close", "reset"] as const) },
    { type: "endless-body" },
  ]);
  const kinds: [GraphQLFaultKind, ...GraphQLFaultKind[]] = [
    transientGraphQLKind(random),
    anyGraphQLKind(random),
    anyGraphQLKind(random),
    { type: "delay", ms: random.pick(PAUSES_MS), at },
    { type: "stall", at },
    slowBody,
    { type: "endless-body" },
    { type: "http", status: random.pick([429, 503]), retryAfter: random.pick(RETRY_AFTER), at },
    { ...redirect(random), at },
    { type: "http", status: random.pick([200, 401, 503]), headers: JSON_BODY, body: "{}", delivery, at },
  ];
  if (readsPages) kinds.push({ type: "page-info", cursor: random.pick(["repeated", "missing"] as const) });
  return random.pick(kinds);
}

/**
 * Milliseconds on the server's clock: what nobody notices, what a client waits for, what is longer than clients wait
 * by default (100 seconds), and what is longer than a lease (15 minutes).
 */
const PAUSES_MS = [1, 1000, 30_000, 120_000, 1_000_000] as const;

const MOST_PIECES = 5;

const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;

const RETRY_AFTER: readonly [RetryAfterHint, ...RetryAfterHint[]] = [
  { seconds: 0, as: "seconds" },
  { seconds: 5, as: "seconds" },
  { seconds: THREE_DAYS_SECONDS, as: "seconds" },
  { seconds: -60, as: "date" },
  { seconds: 0, as: "date" },
  { seconds: 5, as: "date" },
  { seconds: THREE_DAYS_SECONDS, as: "date" },
];

const JSON_BODY = { "content-type": "application/json" } as const;

/** To a host that there will never be (RFC 2606): a client that follows it is found out, and takes its key nowhere. */
function redirect(random: SeededRandom): HttpFault {
  const status = random.pick([301, 302, 303, 307, 308]);
  return { type: "http", status, headers: { location: "https://other-host.invalid/graphql" } };
}
