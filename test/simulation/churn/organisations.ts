import {
  absentAtWeekends,
  type Behaviour,
  intermittent,
  rebuiltNightly,
  rollout,
  type Shape,
  season,
  turnover,
} from "./behaviours.js";
import * as event from "./events.js";

export interface CollectionPlan {
  readonly name: string;
  readonly size: number;
  readonly shape?: Shape;
  /** Made anew for each installation. */
  readonly behaviours: () => readonly Behaviour[];
}

export interface Organisation {
  readonly name: string;
  readonly everyHours: number;
  readonly collections: readonly CollectionPlan[];
  /** How often in a year the job is down, and for how many days. */
  readonly down?: { readonly timesAYear: number; readonly days: number };
}

const HOURLY = 1;
const DAILY = 24;
const WEEKLY = 7 * 24;
const MFA = 8;

function of(
  name: string,
  everyHours: number,
  size: number,
  behaviours: () => readonly Behaviour[],
  more: Partial<Pick<Organisation, "down">> & {
    readonly and?: readonly CollectionPlan[];
    shape?: Shape;
  } = {},
): Organisation {
  const { and = [], down, shape = {} } = more;
  const accounts = { name: "accounts", size, behaviours, shape };
  return { name, everyHours, collections: [accounts, ...and], ...(down && { down }) };
}

export const ORGANISATIONS: readonly Organisation[] = [
  of("two founders", DAILY, 5, () => [turnover(0.5, 0.2)]),
  of("bakery", WEEKLY, 8, () => [turnover(0.4, 0.4)]),
  of("dental practice", DAILY, 12, () => [turnover(0.25, 0.25)]),
  of("agency with freelancers", DAILY, 25, () => [turnover(1.5, 1.5)]),
  of("on-call directory", DAILY, 30, () => [turnover(0.2, 0.2), absentAtWeekends(0.2)]),
  of("growing start-up", HOURLY, 40, () => [turnover(0.9, 0.15), rollout(MFA, 30)]),
  of("law firm", DAILY, 60, () => [turnover(0.15, 0.15), event.mailMigration(0.2)]),
  of("restaurants", WEEKLY, 120, () => [turnover(0.7, 0.7)]),
  of("software company", HOURLY, 150, () => [turnover(0.35, 0.2), event.reorganisation(0.5, 0.1)], {
    and: [
      { name: "licenses", size: 400, behaviours: () => [turnover(0.6, 0.5), event.licenceCleanUp(1, 0.18)] },
    ],
  }),
  of("ski resort", DAILY, 60, () => [
    turnover(0.2, 0.2),
    season([
      [0, 240],
      [75, 240],
      [120, 60],
      [310, 60],
      [350, 240],
    ]),
  ]),
  of("harvest helpers", WEEKLY, 90, () => [
    season([
      [100, 90],
      [170, 160],
      [250, 160],
      [330, 90],
    ]),
  ]),
  of("volunteers", WEEKLY, 300, () => [turnover(0.5, 0.5)]),
  of("film production", DAILY, 50, () => [
    season([
      [30, 50],
      [90, 300],
      [200, 300],
      [290, 50],
    ]),
  ]),
  of("virtual desktops", HOURLY, 400, () => [turnover(0.3, 0.3)], {
    and: [{ name: "devices", size: 400, behaviours: () => [rebuiltNightly(0.12), absentAtWeekends(0.05)] }],
  }),
  of("pool of desktops", DAILY, 5000, () => [turnover(0.3, 0.3)], {
    and: [{ name: "devices", size: 5000, behaviours: () => [rebuiltNightly(0.15), absentAtWeekends(0.04)] }],
  }),
  of("licence manager", DAILY, 700, () => [
    turnover(0.5, 0.5),
    event.licenceCleanUp(1, 0.35),
    event.planUpgrade(0.5),
  ]),
  of("call centre", DAILY, 800, () => [turnover(0.9, 0.9)]),
  of("school", DAILY, 900, () => [
    turnover(0.1, 0.1),
    season([
      [185, 900],
      [205, 760],
      [240, 760],
      [255, 900],
    ]),
  ]),
  of("job that is down for a week", DAILY, 1000, () => [turnover(0.5, 0.5)], {
    down: { timesAYear: 3, days: 8 },
  }),
  of("merging group", DAILY, 1500, () => [
    turnover(0.2, 0.2),
    event.idMigration(0.4),
    event.mailMigration(0.4),
    event.acquisition(0.3, 1.2),
  ]),
  of("privileged access", HOURLY, 800, () => [turnover(0.2, 0.2)], {
    and: [{ name: "groupMembers", size: 2000, behaviours: () => [turnover(0.8, 0.8), intermittent(200, 6)] }],
  }),
  of("factory with shifts", DAILY, 2500, () => [turnover(0.25, 0.25), absentAtWeekends(0.15)]),
  of("consultancy", DAILY, 3000, () => [
    turnover(0.3, 0.25),
    event.layoff(0.3, 0.4),
    event.acquisition(0.3, 0.8),
    event.renaming(0.2),
  ]),
  of("guests", DAILY, 5000, () => [turnover(1, 0.4), event.accessReview(4, 0.13)], {
    shape: { department: 0.05, title: 0.1, phone: 0.1, manager: 0.02, mfa: 0.2 },
  }),
  of("hospital", HOURLY, 9000, () => [turnover(0.4, 0.4), event.reorganisation(0.5, 0.08)], {
    down: { timesAYear: 1, days: 7 },
  }),
  of("retailer", DAILY, 20_000, () => [
    turnover(0.4, 0.4),
    season([
      [0, 25_000],
      [30, 20_500],
      [290, 20_000],
      [335, 25_000],
    ]),
  ]),
  of("university", WEEKLY, 30_000, () => [
    turnover(0.15, 0.15),
    season([
      [170, 30_000],
      [240, 24_500],
      [260, 24_500],
      [280, 30_500],
    ]),
  ]),
  of("bank", HOURLY, 60_000, () => [turnover(0.12, 0.12), event.reorganisation(0.5, 0.15)], {
    and: [
      {
        name: "groupMembers",
        size: 90_000,
        behaviours: () => [turnover(0.5, 0.5), event.reorganisation(1, 0.17)],
      },
    ],
  }),
  of("telephone company", HOURLY, 120_000, () => [
    turnover(0.18, 0.2),
    event.fieldCleanUp(0.2),
    rollout(MFA, 60),
  ]),
  of("ministry", DAILY, 200_000, () => [turnover(0.08, 0.08), event.mailMigration(0.2)]),
];
