/** The actions of a simulated process, as plain data. */
import type { ScheduledFault } from "./faults.js";
import type { SimCollection } from "./messages.js";

/** A source of records. */
export interface SourceSpec {
  /** `quiet` is asynchronous; when its signal fires, it ends like a source that has no more records. */
  readonly kind: "array" | "iterable" | "async" | "arrays" | "quiet";
  /** Indices into the simulation's small set of ids. */
  readonly ids: readonly number[];
  /** Throws instead of yielding the record at this index. */
  readonly throwsAt: number | undefined;
  /** Yields a record without an id at this index. */
  readonly invalidAt: number | undefined;
  /** Makes the record at this index longer. */
  readonly paddedAt: number | undefined;
  /** The number of bytes that are added to that record. */
  readonly paddingBytes: number;
  /** How long an asynchronous source takes for each record, in milliseconds. */
  readonly pauseMs: number;
}

/** How a run uses the ledger that all processes share. */
export interface Judging {
  readonly firstRun: boolean;
  /** Whether the run uses the approval that was offered last. */
  readonly approves: boolean;
  readonly guarded: boolean;
  /** The last usage event that the run sends, which becomes its watermark; undefined for no usage. */
  readonly feedTo: number | undefined;
}

export interface WriteSpec {
  readonly collection: SimCollection;
  readonly source: SourceSpec;
  /** When the caller gives up, in milliseconds after the call. */
  readonly abortAfterMs: number | undefined;
}

/** A collection that is written piece by piece. */
export interface PiecesSpec {
  readonly do: "pieces";
  readonly collection: SimCollection;
  readonly pieces: readonly (readonly number[])[];
  /** Whether the caller awaits each push. */
  readonly awaited: boolean;
  readonly sealed: boolean;
}

/** A step with a batch handle. */
export type Step =
  | { readonly do: "write"; readonly write: WriteSpec; readonly awaited: boolean }
  | PiecesSpec
  | { readonly do: "pause"; readonly ms: number }
  | { readonly do: "complete" }
  | { readonly do: "abort" }
  | { readonly do: "close" };

/** A run, described by what its connector does. */
export interface RunSpec {
  readonly do: "run";
  readonly waitForLockMs: number;
  readonly restarts: number;
  readonly writes: readonly (WriteSpec | PiecesSpec)[];
  /** Whether the connector awaits each of its writes, awaits none, or continues after a failed write. */
  readonly manners: "awaits" | "hurries" | "swallows";
  /** How long after its return the connector writes something more, in milliseconds. */
  readonly lateAfterMs: number | undefined;
  readonly abortAfterMs: number | undefined;
  /** When the run's process dies, in milliseconds after the call. */
  readonly killAfterMs: number | undefined;
  /** Undefined for a run without a ledger. */
  readonly judging: Judging | undefined;
}

/** A step of a process. */
export type Session =
  | {
      readonly do: "batch";
      readonly waitForLockMs: number;
      readonly abortStartAfterMs: number | undefined;
      readonly steps: readonly Step[];
    }
  /** Aborts the newest batch that another handle left behind, if any. */
  | { readonly do: "release" }
  | RunSpec
  | { readonly do: "pause"; readonly ms: number }
  /** The process dies before it sends anything more. */
  | { readonly do: "crash" };

export interface Program {
  /** The actions of each process; all of them share one installation. */
  readonly clients: readonly (readonly Session[])[];
  readonly faults: readonly ScheduledFault[];
  /** A lower message limit for the clients, in bytes; undefined for the service's own limit. */
  readonly limitBytes: number | undefined;
  /** How many bytes a run keeps in memory before it uses a file, and the size of the disk. */
  readonly memoryBytes: number | undefined;
  readonly diskBytes: number;
  /** How long the ledger takes for each call, in milliseconds. */
  readonly ledgerMs: number;
  /** How long after its death a process is restarted, in milliseconds. */
  readonly restartAfterMs: number;
  /** Whether the first session must succeed no matter what else happens. */
  readonly succeeds: boolean;
}

/** A program that is ordinary except for its faults. */
export const PLAIN = {
  limitBytes: undefined,
  memoryBytes: undefined,
  diskBytes: Number.POSITIVE_INFINITY,
  ledgerMs: 0,
  restartAfterMs: 0,
  succeeds: false,
} as const;
