import type { ApplicationState, Portfolio, PortfolioApplication } from "../../portfolio.js";
import { calendarDateOf, fold, getOrAdd } from "../../values.js";
import type { Usage } from "./usage.js";

type Identified = PortfolioApplication & { readonly id: string };

/**
 * The applications of a portfolio, plus those discovered as products of synced plans or of usage.
 *
 * @param last30Days start of the last 30 days, in milliseconds since the epoch
 */
export function applicationsOf(
  { applications: known = [] }: Portfolio,
  vendorStates: ReadonlyMap<string, ApplicationState>,
  usages: readonly Usage[],
  last30Days: number,
) {
  const applications = new Map(
    known.map((one): [string, Identified] => [fold(one.name), { id: fold(one.name), ...one }]),
  );
  for (const { synced } of usages)
    for (const [key, name] of synced.products)
      getOrAdd(applications, key, () => ({ id: `${key}:product`, name }));
  return Array.from(applications, ([key, application]) => {
    const times = usages.flatMap((usage) => [...usage.usersOf(key).values()]);
    return applicationRow(application, vendorStates, times, last30Days);
  });
}

function applicationRow(
  application: Identified,
  vendorStates: ReadonlyMap<string, ApplicationState>,
  times: readonly number[],
  last30Days: number,
) {
  const { id, name, vendorName = name, category, owner, state = "DISCOVERED", portfolioType } = application;
  const last = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return {
    id: `discovery:${id}`,
    state: vendorStates.get(vendorName) ?? state,
    portfolioType: portfolioType ?? null,
    lastUsed: times.length === 0 ? null : calendarDateOf(last),
    application: { id, name, vendorName, category: category === undefined ? null : { name: category } },
    owner: owner === undefined ? null : { id: owner.id, name: owner.name ?? null },
    userCountStat: { all: times.length, last30Days: times.filter((time) => time >= last30Days).length },
  };
}
