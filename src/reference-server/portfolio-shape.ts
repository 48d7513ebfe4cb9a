import { unknownKey } from "../core/validate.js";
import { isObject } from "./is-object.js";
import type { PlanContract, PlanMatch, PlanPrice, Portfolio, PortfolioApplication } from "./portfolio.js";

/** What is wrong with a value that stands at a place; undefined where nothing is. */
type Check = (value: unknown, at: string) => string | undefined;

type Checks<T> = Readonly<Record<keyof T, Check>>;

const text = ofType("string");
const number = ofType("number");

const planMatch = { planName: text, integrationName: text, sourcePlanId: text } satisfies Checks<PlanMatch>;
const withOrigin = (value: Check): Check => object({ value, origin: text }, ["value"]);

const application: Checks<PortfolioApplication> = {
  name: text,
  id: text,
  vendorName: text,
  category: text,
  owner: object({ id: text, name: text }, ["id"]),
  state: text,
  portfolioType: text,
};
const planPrice: Checks<PlanPrice> = {
  ...planMatch,
  annualPricePerSeat: (value, at) => (typeof value === "number" ? undefined : text(value, at)),
  currency: text,
};
const contract: Checks<PlanContract> = {
  ...planMatch,
  type: text,
  renewal: object({ upcomingDate: withOrigin(text), terminationPeriod: withOrigin(number) }),
};
const portfolio: Checks<Portfolio> = {
  applications: listOf(object(application, ["name"])),
  planPrices: listOf(object(planPrice, ["planName", "annualPricePerSeat", "currency"])),
  contracts: listOf(object(contract, ["planName"])),
  unusedAfterDays: number,
};

/** What is wrong with the names and types in a portfolio; undefined where nothing is. */
export function shapeProblem(value: unknown): string | undefined {
  return object(portfolio)(value, "portfolio");
}

function ofType(type: "string" | "number"): Check {
  return (value, at) => (typeof value === type ? undefined : `${at} must be a ${type}.`);
}

function object(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const known = Object.fromEntries(Object.keys(fields).map((name) => [name, true] as const));
  return (value, at) => {
    if (!isObject(value)) return `${at} must be an object.`;
    return (
      unknownKey(at, value, known) ??
      firstProblem(Object.entries(fields), ([name, check]) => {
        const field = Object.hasOwn(value, name) ? value[name] : undefined;
        return field === undefined && !required.includes(name) ? undefined : check(field, `${at}.${name}`);
      })
    );
  };
}

function listOf(check: Check): Check {
  return (value, at) =>
    Array.isArray(value)
      ? firstProblem([...value.entries()], ([index, entry]) => check(entry, `${at}[${index}]`))
      : `${at} must be a list.`;
}

function firstProblem<T>(
  items: readonly T[],
  problemOf: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
