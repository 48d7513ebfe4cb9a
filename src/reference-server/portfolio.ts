import { z } from "zod";
import { parse, plainData, strictObject } from "./validate.js";
import { fold, isCalendarDate } from "./values.js";

/**
 * What a workspace knows that no integration reports: its applications, the prices of plans, the terms of contracts.
 *
 * The GraphQL API of the reference server shows it together with the synced records. Amounts are exact: write them as
 * strings, or as numbers with at most 15 digits.
 */
export interface Portfolio {
  /** Applications of the workspace. Discovered applications appear beside them. */
  readonly applications?: readonly PortfolioApplication[];
  /** Prices of plans. Costs and savings of a plan without a price are null. */
  readonly planPrices?: readonly PlanPrice[];
  /** Terms of contracts. */
  readonly contracts?: readonly PlanContract[];
  /**
   * A license is unused if no use of it was seen today or on this many days before.
   * @default 30
   */
  readonly unusedAfterDays?: number;
}

/** What a workspace has decided about an application (service description, "Application state"). */
export type ApplicationState = "DISCOVERED" | "IN_REVIEW" | "SANCTIONED" | "DISQUALIFIED" | "ARCHIVED";

/** An application of the portfolio. Use is matched to it by its name, ignoring case. */
export interface PortfolioApplication {
  /** Name of the application. */
  readonly name: string;
  /** Its id in GraphQL. @default an id made of the name */
  readonly id?: string;
  /** Name of the vendor. @default the name of the application */
  readonly vendorName?: string;
  /** Name of its category. */
  readonly category?: string;
  /** The employee who is responsible for it. */
  readonly owner?: { readonly id: string; readonly name?: string };
  /** What the workspace has decided about it. @default "DISCOVERED" */
  readonly state?: ApplicationState;
  /** The part of the portfolio that it belongs to. */
  readonly portfolioType?: string;
}

/**
 * Selects synced plans: those that agree with every field given here. If several entries match a plan, the one with
 * most fields counts; among equal ones, the first.
 */
export interface PlanMatch {
  /** `external_plan_name` of the plan. */
  readonly planName: string;
  /** Name of the integration that reported the plan. */
  readonly integrationName?: string;
  /** `id` of the plan in its source. */
  readonly sourcePlanId?: string;
}

/** The price of a plan. */
export interface PlanPrice extends PlanMatch {
  /** Price of one seat for one year, in units of the currency: `"144.00"`. Not negative. */
  readonly annualPricePerSeat: string | number;
  /** ISO 4217 code: `"EUR"`. */
  readonly currency: string;
}

/** Where a value of a contract comes from: entered by a person or delivered by an integration. */
export type DataOrigin = "MANUAL" | "INTEGRATION";

/** The terms of a contract about a plan. */
export interface PlanContract extends PlanMatch {
  /** Kind of contract. */
  readonly type?: string;
  /** When the contract is renewed automatically. */
  readonly renewal?: {
    /** Date of the next renewal, as YYYY-MM-DD. */
    readonly upcomingDate?: { readonly value: string; readonly origin: DataOrigin };
    /** How many days before the renewal the contract must be terminated. */
    readonly terminationPeriod?: { readonly value: number; readonly origin: DataOrigin };
  };
}

const planMatch = {
  planName: z.string(),
  integrationName: z.string().exactOptional(),
  sourcePlanId: z.string().exactOptional(),
};

const application = strictObject({
  name: z.string().refine((name) => fold(name) !== "", { error: "The name must not be blank" }),
  id: z.string().exactOptional(),
  vendorName: z.string().exactOptional(),
  category: z.string().exactOptional(),
  owner: strictObject({ id: z.string(), name: z.string().exactOptional() }).exactOptional(),
  state: z.enum(["DISCOVERED", "IN_REVIEW", "SANCTIONED", "DISQUALIFIED", "ARCHIVED"]).exactOptional(),
  portfolioType: z.string().exactOptional(),
});

const planPrice = strictObject({
  ...planMatch,
  annualPricePerSeat: z
    .union([z.number(), z.string()])
    .refine((price) => /^\d+(\.\d+)?$/.test(String(price)), { error: 'Expected a decimal such as "12.50"' }),
  currency: z.string().regex(/^[A-Z]{3}$/, { error: 'Expected an ISO 4217 code such as "EUR"' }),
});

const origin = z.enum(["MANUAL", "INTEGRATION"]);

const contract = strictObject({
  ...planMatch,
  type: z.string().exactOptional(),
  renewal: strictObject({
    upcomingDate: strictObject({
      value: z.string().refine(isCalendarDate, { error: "Expected a calendar date as YYYY-MM-DD" }),
      origin,
    }).exactOptional(),
    terminationPeriod: strictObject({ value: z.int().min(0), origin }).exactOptional(),
  }).exactOptional(),
});

/** @internal */
export const portfolioSchema: z.ZodType<Portfolio> = plainData(
  strictObject({
    applications: z.array(application).superRefine(requireDistinct).exactOptional(),
    planPrices: z.array(planPrice).exactOptional(),
    contracts: z.array(contract).exactOptional(),
    unusedAfterDays: z.int().min(0).exactOptional(),
  }),
);

function requireDistinct(applications: readonly PortfolioApplication[], context: z.RefinementCtx): void {
  const names = new Set<string>();
  const ids = new Set<string>();
  for (const [index, { name, id = fold(name) }] of applications.entries()) {
    const at = (field: string) => ({ code: "custom" as const, path: [index, field] });
    if (names.has(fold(name)))
      context.addIssue({ ...at("name"), message: "Another application has this name" });
    if (ids.has(id)) context.addIssue({ ...at("id"), message: "Another application has this id" });
    names.add(fold(name));
    ids.add(id);
  }
}

/**
 * Reads a portfolio from JSON.
 * @throws {TypeError} says what is wrong with the text
 * @internal
 */
export function parsePortfolio(text: string): Portfolio {
  return parse("portfolio", portfolioSchema, jsonOf(text.replace(/^\ufeff/, "")));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError("The portfolio is not valid JSON.");
  }
}
