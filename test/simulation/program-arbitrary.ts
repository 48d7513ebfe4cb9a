/** Random programs. */
import fc from "fast-check";
import { fault, survivable } from "./fault-arbitrary.js";
import type { Operation, ScheduledFault } from "./faults.js";
import { judged } from "./judged-arbitrary.js";
import { PLAIN, type Program } from "./program.js";
import { clients, plainRun } from "./session-arbitrary.js";
import { ledgerMs, memoryBytes, restartAfterMs } from "./setting-arbitrary.js";

/** A fault that strikes one call, or the retries of it as well. */
const repeated = fc
  .tuple(fault, fc.constantFrom(1, 1, 1, 1, 3, 4))
  .map(([one, times]) => Array.from({ length: times }, (_, again) => ({ ...one, nth: one.nth + again })));

/** Whatever can go wrong, anywhere. Only of the first call of all it is certain that there is one. */
const wild: fc.Arbitrary<Program> = fc
  .record({
    clients,
    faults: fc.array(repeated, { maxLength: 6 }).map((drawn) => drawn.flat()),
    limitBytes: fc.constantFrom(undefined, undefined, undefined, 110, 140, 180),
    atMostOnce: fc.boolean(),
    memoryBytes,
    diskBytes: fc.oneof(
      { weight: 7, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 800 }) },
    ),
    ledgerMs,
    restartAfterMs,
  })
  .map((drawn) => ({ ...drawn, succeeds: false, faults: drawn.faults.map(certain(drawn)) }));

/** Faults of which nothing is left where no batch is active. */
const OF_BATCHES: readonly string[] = ["expired", "stolen"];

/** Has a fault strike that cannot but do so. */
function certain({ clients: processes, faults }: Pick<Program, "clients" | "faults">) {
  const starts = processes.some(([first]) => first?.do === "batch");
  const first = faults.find(({ operation, nth }) => operation === "StartSyncBatch" && nth === 1);
  return (one: ScheduledFault): ScheduledFault =>
    starts && one === first && !OF_BATCHES.includes(one.kind.type) ? { ...one, atLeast: 1 } : one;
}

/** A run that the retries of the SDK bring through two disturbances, each of which has to strike. */
const planned: fc.Arbitrary<Program> = fc
  .array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 3 })
  .chain((records) => {
    const places: readonly (readonly [Operation, number])[] = [
      ["StartSyncBatch", 1],
      ...records.map((_, write) => ["SyncRecords", write + 1] as const),
      ["CompleteSyncBatch", 1],
    ];
    const faults = fc
      .uniqueArray(fc.constantFrom(...places), { minLength: 1, maxLength: 2 })
      .chain((chosen) =>
        fc.tuple(
          ...chosen.map(([operation, nth]) =>
            survivable(operation).map((kind) => ({ operation, nth, atLeast: 1, kind })),
          ),
        ),
      );
    return fc.record({ faults, memoryBytes }).map((drawn) => ({
      ...PLAIN,
      ...drawn,
      clients: [[plainRun(records, 0)]],
      succeeds: true,
    }));
  });

/** A run that sends what it has read again in another batch, because the retries of one call were in vain. */
const sentAgain: fc.Arbitrary<Program> = fc
  .record({
    records: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 2, maxLength: 4 }),
    atMostOnce: fc.boolean(),
    memoryBytes,
    failing: fc
      .constantFrom<Operation>("SyncRecords", "SyncRecords", "CompleteSyncBatch")
      .chain((operation) =>
        fc.record({
          operation: fc.constant(operation),
          nth: fc.integer({ min: 1, max: operation === "SyncRecords" ? 6 : 1 }),
          kind: fc.oneof(
            { weight: 3, arbitrary: survivable(operation) },
            { weight: 1, arbitrary: fc.constant({ type: "stalled" as const, at: "after" as const }) },
          ),
          times: fc.constantFrom(1, 3),
        }),
      ),
    abort: fc.option(survivable("AbortSyncBatch"), { nil: undefined }),
  })
  .map(({ records, failing: { times, nth, ...fault }, abort, ...drawn }) => ({
    ...PLAIN,
    ...drawn,
    clients: [[plainRun(records, 1)]],
    faults: [
      // Time is up with one that stalls.
      ...Array.from({ length: fault.kind.type === "stalled" ? 1 : times }, (_, again) => ({
        ...fault,
        nth: nth + again,
        atLeast: 0,
      })),
      ...(abort === undefined
        ? []
        : [{ operation: "AbortSyncBatch" as const, nth: 1, atLeast: 0, kind: abort }]),
    ],
    // With at-most-once, a run still gives up where an answer to events without an id is lost.
    succeeds: !(drawn.atMostOnce && records.length > 3),
  }));

/** Programs of every kind. */
export const program: fc.Arbitrary<Program> = fc.oneof(
  { weight: 7, arbitrary: wild },
  { weight: 1, arbitrary: planned },
  { weight: 1, arbitrary: sentAgain },
  { weight: 4, arbitrary: judged },
);
