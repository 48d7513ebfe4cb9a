import type { KeysOf, KnownKeys } from "../../core/validate.js";
import { requireInteger, requireKnown, requireList, requireOneOf } from "../argument-checks.js";
import {
  anyGraphQLKind,
  anySyncKind,
  everyGraphQLKind,
  everySyncKind,
  transientGraphQLKind,
  transientSyncKind,
} from "./drawn-kinds.js";
import {
  type Fault,
  type FaultSchedule,
  type GraphQLFault,
  SYNC_OPERATIONS,
  type SyncFault,
  type SyncOperation,
} from "./fault.js";
import { SeededRandom } from "./seeded-random.js";

/** What to draw a schedule from. */
export interface FaultScheduleOptions {
  /** The same seed and options give the same schedule. A whole number. */
  readonly seed: number;
  /**
   * How many faults.
   * @default 3
   */
  readonly count?: number;
  /**
   * How many calls of each operation of the Sync API the program makes at least: faults are placed within them.
   * @default { StartSyncBatch: 1, SyncRecords: 1, CompleteSyncBatch: 1 }, where `graphql` is left out too
   */
  readonly sync?: Readonly<Partial<Record<SyncOperation, number>>>;
  /**
   * How many messages the program's `SyncRecords` streams have at least: faults strike between them too. 0 leaves
   * streams alone once they are open.
   * @default 1
   */
  readonly messages?: number;
  /**
   * How many requests of each operation of the GraphQL API the program makes at least, by the operation's name.
   * @default none
   */
  readonly graphql?: Readonly<Record<string, number>>;
  /**
   * Those of the `graphql` operations that read connections: only they can be given broken pages, by severity `all`.
   * @default ["Applications", "LicensePlans", "Licenses"], the SDK's own
   */
  readonly pages?: readonly string[];
  /**
   * - `transient`: what networks and busy servers do, and goes away by itself.
   * - `any`: also refusals, lost leases, stolen locks, revoked keys and broken answers. It takes no time.
   * - `all`: also what takes time, and what leads astray: delays, slow bodies, calls that are never answered and bodies
   *   that never end, `Retry-After` of no time, of a time that is past, of seconds and of three days, redirects to
   *   another host, and pages with a repeated or missing cursor. Delays are 1 to 1_000_000 milliseconds on the server's
   *   clock, longer than a client's patience and than a lease: give server and client one `TestClock`, and advance it.
   * @default "transient"
   */
  readonly severity?: "transient" | "any" | "all";
}

const OPTION_NAMES = {
  seed: true,
  count: true,
  sync: true,
  messages: true,
  graphql: true,
  pages: true,
  severity: true,
} satisfies KeysOf<FaultScheduleOptions>;

const OPERATION_NAMES: KnownKeys = Object.fromEntries(SYNC_OPERATIONS.map((name) => [name, true] as const));

type Place = Omit<SyncFault, "kind"> | Omit<GraphQLFault, "kind">;

const DEFAULT_COUNT = 3;

/**
 * Draws faults at places that differ from each other, to be given to `server.faults.schedule()`. Each must strike at
 * least once for `assertFired()`.
 *
 * ```ts
 * const schedule = faultSchedule({ seed: 7, sync: { StartSyncBatch: 1, SyncRecords: 4, CompleteSyncBatch: 1 } });
 * server.faults.schedule(schedule);
 * ```
 *
 * @throws TypeError where an option's name or value is wrong, or there are fewer places than faults.
 */
export function faultSchedule(options: FaultScheduleOptions): FaultSchedule {
  requireKnown("The options of faultSchedule", options, OPTION_NAMES);
  const { seed, count = DEFAULT_COUNT, severity = "transient", pages = OWN_PAGES } = options;
  requireInteger("`seed`", seed, Number.MIN_SAFE_INTEGER);
  requireInteger("`count`", count, 1);
  requireOneOf("`severity`", severity, Object.keys(syncKinds));
  requireList("`pages`", pages);
  const places = placesOf(options);
  if (places.length < count) {
    throw new TypeError(
      `There are ${places.length} places for ${count} faults. Lower \`count\`, or tell of more calls in \`sync\` and \`graphql\`.`,
    );
  }
  const random = new SeededRandom(seed);
  const faults: Fault[] = [];
  for (let drawn = 0; drawn < count; drawn++) {
    const [place] = places.splice(random.below(places.length), 1);
    if (place === undefined) break;
    faults.push(drawFault(place, severity, pages, random));
  }
  return { seed, faults };
}

type Severity = NonNullable<FaultScheduleOptions["severity"]>;

/** Adds what happens to a place. */
function drawFault(place: Place, severity: Severity, pages: readonly string[], random: SeededRandom): Fault {
  if (place.api === "sync") {
    return { ...place, kind: syncKinds[severity](random, place.message !== undefined), atLeast: 1 };
  }
  const readsPages = place.operation !== undefined && pages.includes(place.operation);
  return { ...place, kind: graphQLKinds[severity](random, readsPages), atLeast: 1 };
}

const graphQLKinds = { transient: transientGraphQLKind, any: anyGraphQLKind, all: everyGraphQLKind } as const;
const syncKinds = { transient: transientSyncKind, any: anySyncKind, all: everySyncKind } as const;

/** The SDK's own operations that read connections. */
const OWN_PAGES = ["Applications", "LicensePlans", "Licenses"] as const;

const DEFAULT_CALLS = { StartSyncBatch: 1, SyncRecords: 1, CompleteSyncBatch: 1 } as const;

/** Every place that the program is said to come to. */
function placesOf({ sync, graphql, messages = 1 }: FaultScheduleOptions): Place[] {
  requireInteger("`messages`", messages, 0);
  if (sync !== undefined) requireKnown("sync", sync, OPERATION_NAMES);
  const syncCalls: FaultScheduleOptions["sync"] = sync ?? (graphql === undefined ? DEFAULT_CALLS : {});
  const places: Place[] = [];
  for (const operation of SYNC_OPERATIONS) {
    for (const nth of upTo(`\`sync.${operation}\``, syncCalls[operation] ?? 0)) {
      places.push({ api: "sync", operation, nth });
      if (operation !== "SyncRecords") continue;
      for (const message of upTo("`messages`", messages))
        places.push({ api: "sync", operation, nth, message });
    }
  }
  for (const [operation, calls] of Object.entries(graphql ?? {})) {
    for (const nth of upTo(`\`graphql.${operation}\``, calls))
      places.push({ api: "graphql", operation, nth });
  }
  return places;
}

function upTo(what: string, most: number): number[] {
  requireInteger(what, most, 0);
  return Array.from({ length: most }, (_, index) => index + 1);
}
