import { constants } from "node:http2";
import { status } from "@grpc/grpc-js";
import type { BodyDelivery, FaultMoment, GraphQLFaultKind, RetryAfterHint, SyncFaultKind } from "./kinds.js";

/** Pseudorandom numbers that are the same for a seed on every machine. */
export class SeededRandom {
  #state: number;

  /** @param seed an integer, of which the lowest 32 bits count */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** mulberry32, by Tommy Ettinger, in the public domain. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** See `FaultScheduleOptions`. */
export type Severity = "transient" | "any" | "all";

const MOMENTS: readonly [FaultMoment, ...FaultMoment[]] = ["request", "answer"];

/** Error codes of HTTP/2 that networks and busy servers reset a stream with. */
const RESETS = [
  constants.NGHTTP2_INTERNAL_ERROR,
  constants.NGHTTP2_REFUSED_STREAM,
  constants.NGHTTP2_CANCEL,
] as const;

/** Milliseconds: unnoticed, short, long, above the default timeout of 100 s, above the lease of 15 minutes. */
const PAUSES_MS = [1, 1000, 30_000, 120_000, 1_000_000] as const;

const MAX_PIECES = 5;

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

/** The host cannot exist (RFC 2606): a client that follows sends its key nowhere. */
const REDIRECT = { location: "https://other-host.invalid/graphql" } as const;

const JSON_BODY = { "content-type": "application/json" } as const;

/** The second argument tells whether the fault strikes at a message of a stream. */
export const drawSyncKind = {
  transient: transientSyncKind,
  any: anySyncKind,
  all: everySyncKind,
} satisfies Readonly<Record<Severity, (random: SeededRandom, inStream: boolean) => SyncFaultKind>>;

/** The second argument tells whether the answer has a connection, whose pages can be broken. */
export const drawGraphQLKind = {
  transient: transientGraphQLKind,
  any: anyGraphQLKind,
  all: everyGraphQLKind,
} satisfies Readonly<Record<Severity, (random: SeededRandom, readsPages: boolean) => GraphQLFaultKind>>;

function transientSyncKind(random: SeededRandom): SyncFaultKind {
  const at = random.pick(MOMENTS);
  return random.pick<SyncFaultKind>([
    { type: "drop", at },
    { type: "reset", at },
    { type: "rst-stream", code: random.pick(RESETS), at },
    { type: "goaway", grace: random.pick([true, false]), at },
    { type: "grpc-status", code: status.UNAVAILABLE, at },
  ]);
}

function anySyncKind(random: SeededRandom, inStream: boolean): SyncFaultKind {
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

function transientGraphQLKind(random: SeededRandom): GraphQLFaultKind {
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

function anyGraphQLKind(random: SeededRandom): GraphQLFaultKind {
  const at = random.pick(MOMENTS);
  const status = random.pick([200, 400, 401, 403, 404, 413, 500]);
  return random.pick<GraphQLFaultKind>([
    transientGraphQLKind(random),
    { type: "http", status, headers: JSON_BODY, body: "{}", at },
    { type: "html" },
    { type: "graphql-errors", data: random.pick(["none", "partial"] as const) },
    { type: "truncated-body", ending: random.pick(["end", "close", "reset"] as const) },
    { type: "revoke-key", at },
  ]);
}

function everySyncKind(random: SeededRandom, inStream: boolean): SyncFaultKind {
  const at = random.pick(MOMENTS);
  return random.pick<SyncFaultKind>([
    transientSyncKind(random),
    anySyncKind(random, inStream),
    anySyncKind(random, inStream),
    { type: "delay", ms: random.pick(PAUSES_MS), at },
    { type: "stall", at },
  ]);
}

function everyGraphQLKind(random: SeededRandom, readsPages: boolean): GraphQLFaultKind {
  const at = random.pick(MOMENTS);
  const pieces = 1 + random.below(MAX_PIECES);
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
    { type: "http", status: random.pick([301, 302, 303, 307, 308]), headers: REDIRECT, at },
    { type: "http", status: random.pick([200, 401, 503]), headers: JSON_BODY, body: "{}", delivery, at },
  ];
  if (readsPages) kinds.push({ type: "page-info", cursor: random.pick(["repeated", "missing"] as const) });
  return random.pick(kinds);
}
