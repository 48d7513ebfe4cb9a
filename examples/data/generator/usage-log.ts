import { addDays, EXPORT_DAY, localTimestamp } from "./days.js";
import { type Random, randomFor } from "./random.js";
import { csvText, sortedBy } from "./text.js";
import type { UsedSeat } from "./vendor.js";

const ACTIONS = ["open", "open", "open", "edit", "edit", "export", "share"];

interface LogEntry {
  readonly day: string;
  readonly secondOfDay: number;
  readonly accountId: string;
  readonly product: string;
}

/**
 * The log of the company's access gateway, newest entry first. Regular users appear within the last 21 days, idle ones
 * more than 120 days ago or until their last day at the company, and some never.
 */
export function usageLog(seats: readonly UsedSeat[]): string {
  const random = randomFor("usage-log");
  const entries = seats.flatMap((seat) =>
    daysOfUse(seat, random).map((day): LogEntry => {
      return {
        day,
        secondOfDay: random.int(21_600, 72_000),
        accountId: seat.accountId,
        product: seat.product,
      };
    }),
  );
  const oldestFirst = sortedBy(entries, ({ day, secondOfDay, accountId }) => {
    return `${day} ${String(secondOfDay).padStart(5, "0")} ${accountId}`;
  });
  const rows = oldestFirst.map(({ day, secondOfDay, accountId, product }, index) => [
    `EV-${1_000_001 + index}`,
    localTimestamp(day, secondOfDay),
    product,
    accountId,
    random.pick(ACTIONS),
    `10.${random.int(12, 19)}.${random.int(0, 255)}.${random.int(2, 254)}`,
  ]);
  const heading = ["event_id", "occurred_at", "application", "account", "action", "source_ip"];
  return csvText([heading, ...rows.reverse()], { delimiter: ",", lineEnd: "\n" });
}

function daysOfUse({ habit, holder }: UsedSeat, random: Random): string[] {
  const ago = (low: number, high: number) => addDays(EXPORT_DAY, -random.int(low, high));
  switch (habit) {
    case "never":
      return [];
    case "regular":
      return [ago(0, 20), ...Array.from({ length: random.int(5, 16) }, () => ago(0, 180))];
    case "idle": {
      const last = holder?.left ?? ago(121, 260);
      return Array.from({ length: random.int(1, 5) }, () => addDays(last, -random.int(0, 60)));
    }
  }
}
