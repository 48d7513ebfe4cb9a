/** Random programs. */
import fc from "fast-check";
import { ledgerMs, memoryBytes, oneOf, restartAfterMs, weighted } from "./drawing.js";
import { fault, inARow, survivable } from "./fault-arbitrary.js";
import type { Operation, ScheduledFault } from "./faults.js";
import { judged } from "./judged-arbitrary.js";
import { PLAIN, type Program } from "./program.js";
import { clients, plainRun } from "./session-arbitrary.js";

const repeated = fc.tuple(fault, oneOf(1, 1, 1, 1, 3, 4)).map(([one, times]) => inARow(one, times));

/** Programs in which anything can go wrong anywhere. Only the first call is certain to happen. */
const wild: fc.Arbitrary<Program> = fc
  .record({
    clients,
    faults: fc.array(repeated, { maxLength: 6 }).map((drawn) => drawn.flat()),
    limitBytes: oneOf(undefined, undefined, undefined, 110, 140, 180),
    memoryBytes,
    diskBytes: fc.oneof(
      weighted(7, fc.constant(Number.POSITIVE_INFINITY)),
      weighted(1, fc.integer({ min: 0, max: 800 })),
    ),
    ledgerMs,
    restartAfterMs,
  })
  .map((drawn) => ({ ...drawn, succeeds: false, faults: drawn.faults.map(certain(drawn)) }));

/** Faults that have no effect if no batch is active. */
const OF_BATCHES: readonly string[] = ["expired", "stolen"];

/** Marks a fault as required if it is certain to strike. */
function certain({ clients: processes, faults }: Pick<Program, "clients" | "faults">) {
  const starts = processes.some(([first]) => first?.do === "batch");
  const first = faults.find(({ operation, nth }) => operation === "StartSyncBatch" && nth === 1);
  return (one: ScheduledFault): ScheduledFault =>
    starts && one === first && !OF_BATCHES.includes(one.kind.type) ? { ...one, atLeast: 1 } : one;
}

/** A run that survives two faults because the SDK retries. Both faults must strike. */
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

/** A call stalls until its time is up. */
const stalled = fc.constant({ type: "stalled", at: "after" } as const);

/** A run with a call that fails despite retries, so that the run sends its records again in another batch. */
const sentAgain: fc.Arbitrary<Program> = fc
  .record({
    records: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 2, maxLength: 4 }),
    memoryBytes,
    failing: oneOf("SyncRecords", "SyncRecords", "CompleteSyncBatch").chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        nth: fc.integer({ min: 1, max: operation === "SyncRecords" ? 6 : 1 }),
        kind: fc.oneof(weighted(3, survivable(operation)), weighted(1, stalled)),
        times: oneOf(1, 3),
      }),
    ),
    abort: fc.option(survivable("AbortSyncBatch"), { nil: undefined }),
  })
  .map(({ records, failing: { times, ...failing }, abort, ...drawn }) => {
    const first: ScheduledFault = { ...failing, atLeast: 0 };
    const last = { operation: "AbortSyncBatch", nth: 1, atLeast: 0 } as const;
    return {
      ...PLAIN,
      ...drawn,
      clients: [[plainRun(records, 1)]],
      faults: [
        ...inARow(first, first.kind.type === "stalled" ? 1 : times),
        ...(abort === undefined ? [] : [{ ...last, kind: abort }]),
      ],
      succeeds: true,
    };
  });

/** Programs of every kind. */
export const program: fc.Arbitrary<Program> = fc.oneof(
  weighted(7, wild),
  weighted(1, planned),
  weighted(1, sentAgain),
  weighted(4, judged),
);
