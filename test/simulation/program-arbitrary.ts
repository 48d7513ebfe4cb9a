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

/** Programs of every kind. */
export const program: fc.Arbitrary<Program> = fc.oneof(
  { weight: 7, arbitrary: wild },
  { weight: 1, arbitrary: planned },
  { weight: 4, arbitrary: judged },
);
