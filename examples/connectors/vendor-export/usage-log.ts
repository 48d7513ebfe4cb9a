import type { RecordOf } from "@saas-management/sdk";
import { type Row, readRows } from "./rows.js";

/** The file's column "source_ip" is left out: the service does not need to know where people work. */
const COLUMNS = ["event_id", "occurred_at", "application", "account"] as const;

const DAY_MS = 86_400_000;

/** Which part of the log to read. */
export interface UsageLogOptions {
  /** Products whose usage to read. Account ids are unique within a vendor only, so each vendor reads its own. */
  readonly products: readonly string[];
  /**
   * Moves all times by whole days, so that the newest event is of the day before this one (in UTC). Otherwise every seat
   * would count as unused as soon as the committed file is old.
   * @default times are not moved
   */
  readonly asOf?: Date | undefined;
}

/** The usage of some products, from the access gateway's log, newest first. */
export function usage(
  file: URL,
  { products, asOf }: UsageLogOptions,
): AsyncIterable<readonly RecordOf<"usage">[]> {
  const timeOf = newestFirst();
  let shift: number | undefined;
  return readRows(file, { columns: COLUMNS }, (row) => {
    const occurred = timeOf(row);
    shift ??= asOf === undefined ? 0 : daysToYesterday(occurred, asOf) * DAY_MS;
    const product = row.required("application");
    if (!products.includes(product)) return undefined;
    return {
      id: row.required("event_id"),
      sourceActorId: row.required("account"),
      externalProductName: product,
      lastActivity: new Date(occurred.getTime() + shift),
    };
  });
}

/** Checks the order, because the first event's time decides how far all are moved. */
function newestFirst(): (row: Row<(typeof COLUMNS)[number]>) => Date {
  let newer = Number.POSITIVE_INFINITY;
  return (row) => {
    const occurred = row.requiredTimestamp("occurred_at");
    if (occurred.getTime() > newer)
      throw row.error("is newer than the row before; the log must be newest first");
    newer = occurred.getTime();
    return occurred;
  };
}

/** Whole days from the UTC day of a date to the day before another. */
function daysToYesterday(from: Date, to: Date): number {
  return Math.floor(to.getTime() / DAY_MS) - 1 - Math.floor(from.getTime() / DAY_MS);
}
