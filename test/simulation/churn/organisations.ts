import type { Modelled } from "./fields.js";

/** What makes an organisation special: the events and habits from `events.ts` and `life.ts` that it always has. */
export type Habit =
  | ("acquisition" | "burst" | "clean" | "fields" | "guests" | "ids" | "jit" | "layoff" | "mail" | "outages")
  | ("purge" | "refresh" | "relabel" | "reorganised" | "rollout" | "school" | "season" | "trial")
  | ("upgrade" | "virtual" | "weekend");

export interface Organisation {
  readonly name: string;
  readonly people: number;
  /** Days between two runs, and between the first and the last run. */
  readonly period: number;
  readonly days: number;
  readonly collections: readonly Modelled[];
  /** Percentage of people who join in a month, and of those who leave. */
  readonly churn: number;
  readonly habits: readonly Habit[];
}

const HOURLY = 1 / 24;
const SIX_HOURLY = 1 / 4;
const WEEKLY = 7;

const COLLECTIONS: Readonly<Record<string, Modelled>> = {
  e: "employees",
  a: "accounts",
  p: "plans",
  l: "licenses",
  g: "groups",
  m: "groupMembers",
  d: "devices",
};

function of(
  name: string,
  people: number,
  letters: string,
  churn: number,
  habits: readonly Habit[] = [],
  period = 1,
  days = 365,
): Organisation {
  const collections = [...letters].flatMap((letter) => COLLECTIONS[letter] ?? []);
  return { name, people, period, days, collections, churn, habits };
}

/** Organisations with hourly runs are simulated only for months, because they make as many runs as others in years. */
export const ORGANISATIONS: readonly Organisation[] = [
  of("agency of five", 5, "apl", 1),
  of("start-up", 25, "apl", 3, [], HOURLY, 120),
  of("trial", 4, "apl", 0, ["trial"], 1, 120),
  of("licences with reviews", 120, "eapl", 1.5, ["clean"]),
  of("school", 1500, "aglm", 0.3, ["school"]),
  of("retailer", 8000, "egm", 3, ["season"]),
  of("shops", 600, "eap", 3, ["season"], WEEKLY),
  of("staffing agency", 2000, "ea", 12, ["burst"], HOURLY, 120),
  of("bank", 20_000, "egm", 1, ["purge"]),
  of("group of companies", 60_000, "em", 1.2, ["reorganised"], 1, 180),
  of("just-in-time access", 12_000, "agm", 1.5, ["jit"], HOURLY, 90),
  of("device management", 9000, "d", 1, ["refresh"]),
  of("virtual desktops", 3000, "d", 1, ["virtual"], SIX_HOURLY, 180),
  of("guests", 50_000, "apl", 2, ["guests"]),
  of("three founders", 3, "apl", 1, [], WEEKLY),
  of("agency with weekends", 300, "apl", 2, ["weekend"], HOURLY, 120),
  of("new ids", 5000, "apl", 1.5, ["ids"], WEEKLY),
  of("law firm", 400, "egmd", 0.8, ["mail", "reorganised"]),
  of("acquirer", 3000, "eapl", 1.5, ["acquisition"]),
  of("upgraded plans", 15_000, "apl", 2, ["upgrade", "clean"], SIX_HOURLY, 180),
  of("job that is often down", 1200, "eapl", 2, ["outages"]),
  of("roll-out", 40, "apl", 3, ["rollout"]),
  of("charity", 15, "ea", 2, [], WEEKLY),
  of("consultancy", 900, "eapld", 1.8, ["layoff", "clean", "fields"]),
  of("vendor with other labels", 150, "apl", 2.5, ["weekend", "relabel"]),
  of("forty devices", 40, "d", 2, ["refresh"]),
];
