import type { RecordOf } from "@saas-management/sdk";
import { readRecords } from "./csv.js";
import type { CsvRow } from "./row.js";

/** The column "source_ip" is in the file and not in this list: where people work stays in the company. */
const COLUMNS = ["event_id", "occurred_at", "application", "account"] as const;

const DAY_MS = 86_400_000;

/** Which part of the log to read, and how. */
export interface UsageLogOptions {
  /** Products to read the use of. Account ids mean something only to their vendor, so each vendor reads its own. */
  readonly products: readonly string[];
  /**
   * The day to take for the export's: all times move by the same number of whole days, so that the newest entry is of
   * the day before (in UTC). A committed file ages, and with the times that are in it, every seat would soon count as
   * unused.
   * @default times stay as they are
   */
  readonly asOf?: Date;
}

/** The use of some products, from the access gateway's log, newest first. */
export function usage(file: URL, { products, asOf }: UsageLogOptions): AsyncIterable<RecordOf<"usage">[]> {
  const timeOf = newestFirst();
  let shift: number | undefined;
  return readRecords(file, { columns: COLUMNS }, (row) => {
    const occurred = timeOf(row);
    shift ??= asOf === undefined ? 0 : daysToYesterday(occurred, asOf) * DAY_MS;
    const product = row.required("application");
    if (!products.includes(product)) return undefined;
    return {
      generic: {
        id: row.required("event_id"),
        sourceActorId: row.required("account"),
        externalProductName: product,
        lastActivity: new Date(occurred.getTime() + shift),
      },
    };
  });
}

/** The first entry's time decides how far all are moved, so the order that the console promises is checked. */
function newestFirst(): (row: CsvRow<(typeof COLUMNS)[number]>) => Date {
  let newer = Number.POSITIVE_INFINITY;
  return (row) => {
    const occurred = row.requiredMoment("occurred_at");
    if (occurred.getTime() > newer)
      throw row.error("is newer than the line before; the log should begin with the newest");
    newer = occurred.getTime();
    return occurred;
  };
}

/** Whole days from the UTC day of a moment to the day before another. */
function daysToYesterday(from: Date, to: Date): number {
  return Math.floor(to.getTime() / DAY_MS) - 1 - Math.floor(from.getTime() / DAY_MS);
}
