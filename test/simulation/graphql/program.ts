/** The steps of the callers of a simulated GraphQL client, as plain data. */
import type { ScheduledFault } from "./faults.js";

/** How long a call may take, how often it is retried, and when it is cancelled. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly retries: number;
  /** In milliseconds after the call, 0 for at once; undefined for never. */
  readonly abortAfterMs: number | undefined;
}

/** The connections of the service; the last one is nested and has its own document. */
export const CONNECTIONS = ["applications", "licenses", "licensePlans", "things"] as const;
export type ConnectionName = (typeof CONNECTIONS)[number];

export interface Range {
  readonly connection: ConnectionName;
  readonly direction: "forward" | "backward";
  readonly pageSize: number;
  readonly limit: number | undefined;
  /** Key of the row to start after; undefined for the start. */
  readonly start: number | undefined;
}

/**
 * How a walk is left: by `break`, by a signal, by `return()` during `next()`, or by abandoning it.
 */
export type Leaving = "break" | "abort" | "cut" | "forget";

export interface WalkSpec extends Range {
  readonly prefetch: boolean;
  /** `array`: `toArray()`. */
  readonly unit: "nodes" | "pages" | "array";
  /** Concurrent calls of `next()`. */
  readonly width: number;
  /** How long the caller works on each node or page, in milliseconds. */
  readonly pauseMs: number;
  /** How the walk is left, and after how many nodes or pages; undefined for never. */
  readonly leaving: { readonly how: Leaving; readonly after: number } | undefined;
  /** How often `next()` is called again after a failure. */
  readonly again: number;
  /** How often another walk continues from the position of the error, or after the last page. */
  readonly resumes: number;
  readonly limits: CallLimits;
}

export type MutationKind = "create" | "update" | "vendors" | "own";

/** A step of a caller. */
export type Step =
  | { readonly do: "walk"; readonly walk: WalkSpec }
  | { readonly do: "page" | "count"; readonly range: Range; readonly limits: CallLimits }
  | { readonly do: "query"; readonly raw: boolean; readonly limits: CallLimits }
  | {
      readonly do: "mutation";
      readonly mutation: MutationKind;
      readonly idempotent: boolean;
      readonly limits: CallLimits;
    }
  | { readonly do: "pause"; readonly ms: number }
  | { readonly do: "close" };

/** Where the key comes from. */
export type KeySpec =
  | { readonly form: "text" }
  | {
      readonly form: "function";
      /** Whether it returns another key after a refusal. */
      readonly rotates: boolean;
      readonly slowMs: number;
      /** Number of the call that throws, and of the one that never settles. */
      readonly failsAt: number | undefined;
      readonly stallsAt: number | undefined;
    };

/** A row that is added or removed when the n-th request for a page arrives. */
export interface RowChange {
  readonly nth: number;
  readonly do: "add" | "remove";
  readonly place: number;
}

export interface Program {
  /** Run concurrently with one client. */
  readonly callers: readonly (readonly Step[])[];
  readonly rows: number;
  readonly changes: readonly RowChange[];
  readonly faults: readonly ScheduledFault[];
  readonly key: KeySpec;
  /** Whether the simulated `fetch` heeds its signal. */
  readonly heedsSignal: boolean;
}
