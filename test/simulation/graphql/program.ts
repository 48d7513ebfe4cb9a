/** What the callers of a simulated GraphQL client do, as plain data. */
import type { ScheduledFault } from "./faults.js";

/** How long a call may take, how often it is repeated, and when its caller gives up. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly retries: number;
  /** In milliseconds after the call, 0 for at once; undefined for never. */
  readonly abortAfterMs: number | undefined;
}

/** The connections of the service; the last is nested in a document of its own. */
export const CONNECTIONS = ["applications", "licenses", "licensePlans", "things"] as const;
export type ConnectionName = (typeof CONNECTIONS)[number];

/** Which part of a connection is read, and in what pieces. */
export interface Range {
  readonly connection: ConnectionName;
  readonly direction: "forward" | "backward";
  readonly pageSize: number;
  readonly limit: number | undefined;
  /** Key of the row to begin behind; undefined for the start. */
  readonly start: number | undefined;
}

/**
 * How a walk is left: by `break`, by a signal, by `return()` while `next()` is under way, or by nobody asking for more.
 */
export type Leaving = "break" | "abort" | "cut" | "forget";

export interface WalkSpec extends Range {
  readonly prefetch: boolean;
  /** `array`: all at once with `toArray`. */
  readonly unit: "nodes" | "pages" | "array";
  /** Calls of `next()` that are made before the first is waited for. */
  readonly width: number;
  /** How long the caller works on each node or page, in milliseconds. */
  readonly pauseMs: number;
  /** How the walk is left, and after how many nodes or pages; undefined for never. */
  readonly leaving: { readonly how: Leaving; readonly after: number } | undefined;
  /** How often `next()` is called again where it failed. */
  readonly again: number;
  /** How often another walk goes on from the position of the error, or behind the last page. */
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
      /** Whether refusals are values. */
      readonly safe: boolean;
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
      /** Whether it gives another key once the service has refused one. */
      readonly rotates: boolean;
      readonly slowMs: number;
      /** The call of it that throws, and the one that never settles. */
      readonly failsAt: number | undefined;
      readonly stallsAt: number | undefined;
    };

/** A row that comes or goes as the n-th request for a page arrives. */
export interface RowChange {
  readonly nth: number;
  readonly do: "add" | "remove";
  readonly place: number;
}

export interface Program {
  /** What is done at the same time, all with one client. */
  readonly callers: readonly (readonly Step[])[];
  readonly rows: number;
  readonly changes: readonly RowChange[];
  readonly faults: readonly ScheduledFault[];
  readonly key: KeySpec;
  /** Whether the replaced `fetch` looks at its signal. */
  readonly heedsSignal: boolean;
}
