import type { HeldReport, InputIssue, SnapshotDiff } from "../../core/errors/index.js";
import { type Collection, collectionEntries } from "../../sync/collections.js";
import { count, counted, describeDiff, quoted } from "../../sync/report-text.js";
import type { WriteStats } from "../../sync/write/options.js";

/** What a run would do, as far as it can be known without the service. Plain data; `toString()` returns a text. */
export interface RunPreview {
  /** Each collection that was written. */
  readonly collections: Partial<
    Record<
      Collection,
      {
        /** What would be sent: all records except those in `issues`. */
        readonly stats: WriteStats;
        /** What would change; absent for events. Without a readable ledger, all ids count as added. */
        readonly diff?: SnapshotDiff;
        /**
         * Problems of invalid records, and of records that repeat an id with different contents, in order and with
         * locations; at most `maxIssues`. A run ends at the first one.
         */
        readonly issues: readonly InputIssue[];
        /** Ids that came more than once, in the order of their records, up to 20; at most 200 characters of each. */
        readonly duplicates: readonly string[];
        /**
         * Fields that refer to records that the run doesn't write, and how many records have such a reference. Only
         * fields that refer to a collection of the run are checked.
         */
        readonly dangling: readonly { readonly field: string; readonly count: number }[];
      }
    >
  >;
  /** Why the guard would hold the run; undefined if it would not. */
  readonly held: HeldReport | undefined;
  /** Sentences that say why a run with these records would not be completed; empty if it would be. */
  readonly refusals: readonly string[];
  /** The text. It shows ids and locations of records, never the contents. */
  toString(): string;
}

export type CollectionPreview = NonNullable<RunPreview["collections"][Collection]>;

const MAX_SHOWN = 5;

export function linesOf({ collections, held, refusals }: Omit<RunPreview, "toString">): string[] {
  return [
    "Preview: nothing was sent.",
    ...collectionEntries(collections).flatMap(([name, preview]) => collectionLines(name, preview)),
    refusals.length === 0
      ? "A run would be completed."
      : [...(refusals[0] === held?.summary ? [] : ["A run would not be completed."]), ...refusals].join(" "),
    ...(held === undefined ? [] : String(held).split("\n").slice(1)),
  ];
}

function collectionLines(
  name: Collection,
  { stats, diff, issues, duplicates, dangling }: CollectionPreview,
): string[] {
  const { accepted, messages, bytes } = stats;
  const shown = duplicates.slice(0, MAX_SHOWN).map(quoted).join(", ");
  return [
    `${name}: ${counted(accepted, "record")}, ${counted(messages, "message")}, ${counted(bytes, "byte")}`,
    ...(diff === undefined ? [] : [`  ${describeDiff(diff)}`]),
    ...(duplicates.length === 0
      ? []
      : [`  repeated ids: ${shown}${duplicates.length > MAX_SHOWN ? ", …" : ""}`]),
    ...issues.map((issue) => `  - ${issueLine(name, issue)}`),
    ...dangling.map(
      ({ field, count: records }) =>
        `  ${field}: ${counted(records, "record")} with an id that the run does not write`,
    ),
  ];
}

function issueLine(collection: Collection, { index, id, location, path, expected }: InputIssue): string {
  const place = `${id === undefined ? "" : ` ${quoted(id)}`}${location === undefined ? "" : ` (${location})`}`;
  return `${collection}[${count(index ?? 0)}]${place}${path === "" ? "" : ` ${path}`}: expected ${expected}`;
}
