import { requireInteger, requireOneOf } from "./argument-checks.js";
import { isCalendarDate } from "./calendar-date.js";
import { shapeProblem } from "./portfolio-shape.js";

/**
 * What a workspace knows that no integration reports: its applications, what plans cost, what contracts say.
 *
 * A reference server is started with it, and shows it over GraphQL together with what was synced. Amounts are exact:
 * write them as strings, or as numbers with at most 15 digits.
 */
export interface Portfolio {
  /** Applications that the workspace has. Those that discovery finds appear beside them. */
  readonly applications?: readonly PortfolioApplication[];
  /** What plans cost. A plan without a price has no costs and no saving: both are null. */
  readonly planPrices?: readonly PlanPrice[];
  /** What contracts say about plans. */
  readonly contracts?: readonly PlanContract[];
  /**
   * A license is unused when no use of it was seen on this many days before today, nor today.
   * @default 30
   */
  readonly unusedAfterDays?: number;
}

/** What a workspace has decided about an application (service description, "Application state"). */
export type ApplicationState = "DISCOVERED" | "IN_REVIEW" | "SANCTIONED" | "DISQUALIFIED" | "ARCHIVED";

/** An application of the portfolio. Use is matched to it by its name, without regard to case. */
export interface PortfolioApplication {
  /** What it is called. */
  readonly name: string;
  /** Its id in GraphQL. @default an id made of the name */
  readonly id?: string;
  /** What its vendor is called. @default the name: most applications are called like their vendor */
  readonly vendorName?: string;
  /** Name of its category. */
  readonly category?: string;
  /** The employee who answers for it. */
  readonly owner?: { readonly id: string; readonly name?: string };
  /** What the workspace has decided about it. @default "DISCOVERED" */
  readonly state?: ApplicationState;
  /** The part of the portfolio that it belongs to. */
  readonly portfolioType?: string;
}

/**
 * Says which synced plans something is about: those that agree with every field given here. Where several match a
 * plan, the one with more fields counts, and of equal ones the first.
 */
export interface PlanMatch {
  /** `external_plan_name` of the plan. */
  readonly planName: string;
  /** Name of the integration that the plan comes from. */
  readonly integrationName?: string;
  /** `id` of the plan in its source. */
  readonly sourcePlanId?: string;
}

/** What a plan costs. */
export interface PlanPrice extends PlanMatch {
  /** Price of one seat for one year, in units of the currency: `"144.00"`. Not negative. */
  readonly annualPricePerSeat: string | number;
  /** ISO 4217 code: `"EUR"`. */
  readonly currency: string;
}

/** Where a value of a contract comes from: somebody entered it, or an integration delivered it. */
export type DataOrigin = "MANUAL" | "INTEGRATION";

/** What a contract says about a plan. */
export interface PlanContract extends PlanMatch {
  /** Kind of contract. */
  readonly type?: string;
  /** When the contract renews itself. */
  readonly renewal?: {
    /** Day of the next renewal, as YYYY-MM-DD. */
    readonly upcomingDate?: { readonly value: string; readonly origin: DataOrigin };
    /** How many days before the renewal the contract must be terminated. */
    readonly terminationPeriod?: { readonly value: number; readonly origin: DataOrigin };
  };
}

/** How many days without use make a license unused, where the portfolio does not say. */
export const DEFAULT_UNUSED_AFTER_DAYS = 30;

const states: readonly string[] = [
  "DISCOVERED",
  "IN_REVIEW",
  "SANCTIONED",
  "DISQUALIFIED",
  "ARCHIVED",
] satisfies ApplicationState[];
const origins: readonly string[] = ["MANUAL", "INTEGRATION"] satisfies DataOrigin[];
const decimal = /^\d+(\.\d+)?$/;
const currencyCode = /^[A-Z]{3}$/;

/**
 * Checks a portfolio that a program wrote by hand.
 *
 * @throws TypeError that names the first value that is wrong, and what was expected.
 */
export function checkPortfolio(portfolio: Portfolio): void {
  const problem = shapeProblem(portfolio);
  if (problem !== undefined) throw new TypeError(problem);
  const { applications = [], planPrices = [], contracts = [], unusedAfterDays } = portfolio;
  if (unusedAfterDays !== undefined) requireInteger("portfolio.unusedAfterDays", unusedAfterDays, 0);
  const names = new Set<string>();
  const ids = new Set<string>();
  for (const [index, { name, id, state }] of applications.entries()) {
    const key = name.trim().toLowerCase();
    expect(key !== "", `applications[${index}].name`, "a name");
    expect(!names.has(key), `applications[${index}].name`, "a name that no other application has");
    expect(!ids.has(id ?? key), `applications[${index}].id`, "an id that no other application has");
    if (state !== undefined) requireOneOf(`portfolio.applications[${index}].state`, state, states);
    names.add(key);
    ids.add(id ?? key);
  }
  for (const [index, price] of planPrices.entries()) {
    const at = `planPrices[${index}]`;
    expect(
      decimal.test(String(price.annualPricePerSeat)),
      `${at}.annualPricePerSeat`,
      'a decimal such as "12.50"',
    );
    expect(currencyCode.test(price.currency), `${at}.currency`, 'an ISO 4217 code such as "EUR"');
  }
  for (const [index, { renewal }] of contracts.entries()) {
    const at = `contracts[${index}].renewal`;
    const { upcomingDate, terminationPeriod } = renewal ?? {};
    if (upcomingDate !== undefined) {
      expect(isCalendarDate(upcomingDate.value), `${at}.upcomingDate.value`, "a day as YYYY-MM-DD");
      requireOneOf(`portfolio.${at}.upcomingDate.origin`, upcomingDate.origin, origins);
    }
    if (terminationPeriod !== undefined) {
      requireInteger(`portfolio.${at}.terminationPeriod.value`, terminationPeriod.value, 0);
      requireOneOf(`portfolio.${at}.terminationPeriod.origin`, terminationPeriod.origin, origins);
    }
  }
}

function expect(holds: boolean, at: string, expected: string): void {
  if (!holds) throw new TypeError(`portfolio.${at} must be ${expected}.`);
}
