import { z } from "zod";
import { parse, strictObject } from "../validate.js";
import { drawGraphQLKind, drawSyncKind, SeededRandom, type Severity } from "./drawn-kinds.js";
import {
  type Fault,
  type FaultSchedule,
  type GraphQLFault,
  SYNC_OPERATIONS,
  type SyncFault,
  type SyncOperation,
} from "./fault.js";

/** What to draw a schedule from. */
export interface FaultScheduleOptions {
  /** An integer. The same seed and options give the same schedule. */
  readonly seed: number;
  /**
   * Number of faults.
   * @default 3
   */
  readonly count?: number;
  /**
   * Least number of calls that the program makes of each operation of the Sync API: faults strike within them.
   * @default { StartSyncBatch: 1, SyncRecords: 1, CompleteSyncBatch: 1 } if `graphql` is left out too
   */
  readonly sync?: Readonly<Partial<Record<SyncOperation, number>>>;
  /**
   * Least number of messages in the program's `SyncRecords` streams: faults also strike between them. 0 leaves open
   * streams alone.
   * @default 1
   */
  readonly messages?: number;
  /**
   * Least number of requests of each operation of the GraphQL API, by the name of the operation.
   * @default none
   */
  readonly graphql?: Readonly<Record<string, number>>;
  /**
   * Those of the `graphql` operations that read connections: severity `all` breaks only their pages.
   * @default ["Applications", "LicensePlans", "Licenses"], the SDK's own
   */
  readonly pages?: readonly string[];
  /**
   * - `transient`: what networks and busy servers do. It goes away by itself.
   * - `any`: also refusals, lost leases, stolen locks, revoked keys and broken answers. It takes no time.
   * - `all`: also what takes time or misleads: delays, slow bodies, calls without an answer, bodies without an end,
   *   `Retry-After` of zero, in the past, of seconds and of three days, redirects to another host, and pages with a
   *   repeated or missing cursor. Delays are 1 to 1_000_000 milliseconds on the server's clock, longer than client
   *   timeouts and than a lease: give server and client one `TestClock` and advance it.
   * @default "transient"
   */
  readonly severity?: "transient" | "any" | "all";
}

type Place = Omit<SyncFault, "kind"> | Omit<GraphQLFault, "kind">;

const calls = z.int().min(0);

const optionsSchema = strictObject({
  seed: z.int(),
  count: z.int().min(1).default(3),
  sync: strictObject({
    StartSyncBatch: calls.optional(),
    SyncRecords: calls.optional(),
    CompleteSyncBatch: calls.optional(),
    AbortSyncBatch: calls.optional(),
  }).optional(),
  messages: calls.default(1),
  graphql: z.record(z.string(), calls).optional(),
  pages: z.array(z.string()).default(["Applications", "LicensePlans", "Licenses"]),
  severity: z.enum(["transient", "any", "all"]).default("transient"),
});

const DEFAULT_CALLS = { StartSyncBatch: 1, SyncRecords: 1, CompleteSyncBatch: 1 } as const;

/**
 * Draws faults at different places, for `server.faults.schedule()`. `assertFired()` requires each of them to strike at
 * least once.
 *
 * ```ts
 * const schedule = faultSchedule({ seed: 7, sync: { StartSyncBatch: 1, SyncRecords: 4, CompleteSyncBatch: 1 } });
 * server.faults.schedule(schedule);
 * ```
 *
 * @throws {TypeError} an option is invalid, or there are fewer places than faults
 */
export function faultSchedule(options: FaultScheduleOptions): FaultSchedule {
  const checked = parse("faultSchedule", optionsSchema, options);
  const { seed, count, severity, pages } = checked;
  const places = placesOf(checked);
  if (places.length < count) {
    throw new TypeError(
      `There are ${places.length} places for ${count} faults. Lower \`count\`, or name more calls in \`sync\` and \`graphql\`.`,
    );
  }
  const random = new SeededRandom(seed);
  const faults: Fault[] = [];
  for (let drawn = 0; drawn < count; drawn++) {
    const [place] = places.splice(random.below(places.length), 1);
    if (place !== undefined) faults.push(drawFault(place, severity, pages, random));
  }
  return { seed, faults };
}

function drawFault(place: Place, severity: Severity, pages: readonly string[], random: SeededRandom): Fault {
  if (place.api === "sync") {
    return { ...place, kind: drawSyncKind[severity](random, place.message !== undefined), atLeast: 1 };
  }
  const readsPages = place.operation !== undefined && pages.includes(place.operation);
  return { ...place, kind: drawGraphQLKind[severity](random, readsPages), atLeast: 1 };
}

/** Every place that the program reaches. */
function placesOf({ sync, graphql, messages }: z.output<typeof optionsSchema>): Place[] {
  const syncCalls: typeof sync = sync ?? (graphql === undefined ? DEFAULT_CALLS : {});
  const places: Place[] = [];
  for (const operation of SYNC_OPERATIONS) {
    for (const nth of upTo(syncCalls?.[operation])) {
      places.push({ api: "sync", operation, nth });
      if (operation !== "SyncRecords") continue;
      for (const message of upTo(messages)) places.push({ api: "sync", operation, nth, message });
    }
  }
  for (const [operation, requests] of Object.entries(graphql ?? {})) {
    for (const nth of upTo(requests)) places.push({ api: "graphql", operation, nth });
  }
  return places;
}

function upTo(most = 0): number[] {
  return Array.from({ length: most }, (_, index) => index + 1);
}
