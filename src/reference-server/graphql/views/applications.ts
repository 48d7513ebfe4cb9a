import { calendarDateOf } from "../../calendar-date.js";
import type { ApplicationState, Portfolio, PortfolioApplication } from "../../portfolio.js";
import { RowSet } from "../connection/row-set.js";
import type { Digest } from "./digest.js";
import { productKey } from "./text.js";
import type { UsageIndex } from "./usage-index.js";

/** An application, as the schema shows it. */
export type ApplicationRow = {
  readonly id: string;
  readonly state: ApplicationState;
  readonly portfolioType: string | null;
  readonly lastUsed: string | null;
  readonly application: {
    readonly id: string;
    readonly name: string;
    readonly vendorName: string;
    readonly category: { readonly name: string } | null;
  };
  readonly owner: { readonly id: string; readonly name: string | null } | null;
  readonly userCountStat: { readonly all: number; readonly last30Days: number };
};

/**
 * The applications of a workspace: those of its portfolio, and those that discovery found, as products of synced
 * plans or of discovered use.
 *
 * @param vendorStates states that were set for vendors, under the vendors' names.
 * @param last30Days use from then on is of the last 30 days, in milliseconds since the epoch.
 */
export function applicationsOf(
  portfolio: Portfolio,
  vendorStates: ReadonlyMap<string, ApplicationState>,
  usage: UsageIndex,
  last30Days: number,
  ...digests: readonly Digest[]
): RowSet<ApplicationRow> {
  const applications = new Map<string, PortfolioApplication>();
  for (const application of portfolio.applications ?? []) {
    applications.set(productKey(application.name), application);
  }
  for (const { products, discovered } of digests) {
    for (const [key, name] of [...products, ...discovered.products]) {
      if (!applications.has(key)) applications.set(key, { name });
    }
  }
  const given = (portfolio.applications ?? []).flatMap(({ id }) => id ?? []);
  const ids = new Set(given);
  return new RowSet(
    Array.from(applications, ([key, application]) => {
      const id = application.id ?? newId(key, ids);
      const times = [...usage.usersOf(key).values()];
      return applicationRow({ ...application, id }, vendorStates, times, last30Days);
    }),
  );
}

/** An id made of a name that is not among those that there are: cursors and walks know rows by their ids. */
function newId(name: string, ids: Set<string>): string {
  let id = name;
  while (ids.has(id)) id += "*";
  ids.add(id);
  return id;
}

function applicationRow(
  application: PortfolioApplication & { readonly id: string },
  vendorStates: ReadonlyMap<string, ApplicationState>,
  times: readonly number[],
  last30Days: number,
): ApplicationRow {
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
