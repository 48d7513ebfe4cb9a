import type { KeysOf, KnownKeys } from "../../core/validate.js";
import type { Fault, FaultSchedule, GraphQLFault, SyncFault } from "./fault.js";
import type { GraphQLFaultKind, InjectedGraphQLError, RetryAfterHint } from "./graphql-kinds.js";
import type { SyncFaultKind } from "./sync-kinds.js";

/** The names of each kind, by its type: the compiler finds one that is missing. */
type NamesByType<Kind extends { readonly type: string }> = {
  readonly [K in Kind as K["type"]]: KeysOf<K>;
};

const TYPE = { type: true } as const;
const AT = { ...TYPE, at: true } as const;
const SHARED = {
  delay: { ...AT, ms: true },
  stall: AT,
  drop: AT,
  reset: AT,
  "revoke-key": AT,
} as const;

const SYNC_KINDS: NamesByType<SyncFaultKind> = {
  ...SHARED,
  "rst-stream": { ...AT, code: true },
  goaway: { ...AT, grace: true },
  "grpc-status": { ...AT, code: true, details: true, trailers: true },
  "early-answer": AT,
  "oversized-answer": { ...TYPE, bytes: true },
  "lease-expiry": AT,
  "lock-stolen": AT,
};

const GRAPHQL_KINDS: NamesByType<GraphQLFaultKind> = {
  ...SHARED,
  http: { ...AT, status: true, headers: true, retryAfter: true, body: true, delivery: true },
  html: { ...TYPE, status: true },
  "graphql-errors": { ...TYPE, errors: true, data: true },
  "slow-body": { ...TYPE, ms: true, pieces: true },
  "truncated-body": { ...TYPE, ending: true },
  "endless-body": TYPE,
  "page-info": { ...TYPE, cursor: true },
};

/** The names of the kinds of faults that an API can have, by their types. */
export const KIND_NAMES: Readonly<Record<Fault["api"], ReadonlyMap<string, KnownKeys>>> = {
  sync: new Map(Object.entries(SYNC_KINDS)),
  graphql: new Map(Object.entries(GRAPHQL_KINDS)),
};

const TARGET = { api: true, operation: true, nth: true, times: true, atLeast: true, kind: true } as const;
const SYNC_FAULT: KeysOf<SyncFault> = { ...TARGET, message: true };
const GRAPHQL_FAULT: KeysOf<GraphQLFault> = TARGET;

/** The names of a fault of each API. */
export const FAULT_NAMES: Readonly<Record<Fault["api"], KnownKeys>> = {
  sync: SYNC_FAULT,
  graphql: GRAPHQL_FAULT,
};

export const SCHEDULE_NAMES = { seed: true, faults: true } satisfies KeysOf<FaultSchedule>;
export const RETRY_AFTER_NAMES = { seconds: true, as: true } satisfies KeysOf<RetryAfterHint>;
export const ERROR_NAMES = {
  message: true,
  code: true,
  path: true,
} satisfies KeysOf<InjectedGraphQLError>;
