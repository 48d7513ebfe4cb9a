import { z } from "zod";
import { plainData, strictObject } from "./validate.js";
import { fold, isCalendarDate } from "./values.js";

/** What a workspace has decided about an application (service description, "Application state"). */
export type ApplicationState = "DISCOVERED" | "IN_REVIEW" | "SANCTIONED" | "DISQUALIFIED" | "ARCHIVED";

/**
 * Data of a workspace that no integration reports: its applications, prices of plans and terms of contracts.
 *
 * The reference server's GraphQL API returns this data with the synced records. Amounts are exact: write them as
 * strings, or as numbers with at most 15 digits. A price or contract applies to the synced plans that match all of its
 * fields `planName`, `integrationName` and `sourcePlanId`. If several match a plan, the most specific one applies.
 */
export interface Portfolio {
  /** Applications of the workspace, in addition to discovered ones. Usage is matched to applications by name. */
  readonly applications?: readonly {
    readonly name: string;
    /** The application's id in GraphQL. @default an id derived from the name */
    readonly id?: string;
    /** @default the name of the application */
    readonly vendorName?: string;
    readonly category?: string;
    /** The employee who is responsible for the application. */
    readonly owner?: { readonly id: string; readonly name?: string };
    /** What the workspace has decided about the application. @default "DISCOVERED" */
    readonly state?: "DISCOVERED" | "IN_REVIEW" | "SANCTIONED" | "DISQUALIFIED" | "ARCHIVED";
    /** The part of the portfolio that the application belongs to. */
    readonly portfolioType?: string;
  }[];
  /** Prices of plans. Without a price, a plan's costs and savings are null. */
  readonly planPrices?: readonly {
    readonly planName: string;
    readonly integrationName?: string;
    readonly sourcePlanId?: string;
    /** Price of one seat for one year, in units of the currency: `"144.00"`. Not negative. */
    readonly annualPricePerSeat: string | number;
    /** ISO 4217 code: `"EUR"`. */
    readonly currency: string;
  }[];
  /** Terms of contracts for plans. */
  readonly contracts?: readonly {
    readonly planName: string;
    readonly integrationName?: string;
    readonly sourcePlanId?: string;
    /** Kind of contract. */
    readonly type?: string;
    /** When the contract is renewed automatically, and where each value comes from. */
    readonly renewal?: {
      /** Date of the next renewal, as YYYY-MM-DD. */
      readonly upcomingDate?: { readonly value: string; readonly origin: "MANUAL" | "INTEGRATION" };
      /** How many days before the renewal the contract must be terminated. */
      readonly terminationPeriod?: { readonly value: number; readonly origin: "MANUAL" | "INTEGRATION" };
    };
  }[];
  /**
   * A license is unused if nobody used it today or during this many days before.
   * @default 30
   */
  readonly unusedAfterDays?: number;
}

export type PortfolioApplication = NonNullable<Portfolio["applications"]>[number];
export type PlanPrice = NonNullable<Portfolio["planPrices"]>[number];
export type PlanMatch = Pick<PlanPrice, "planName" | "integrationName" | "sourcePlanId">;
export type PlanContract = NonNullable<Portfolio["contracts"]>[number];

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
