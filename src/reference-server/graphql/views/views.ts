import { SHOWN } from "../../../sync/generated/server.js";
import type { PortfolioApplication } from "../../portfolio.js";
import { areSame, calendarDateOf, DAY_MS, fold, getOrAdd, lazy, startOfDay } from "../../values.js";
import type { Workspace } from "../../workspace.js";
import { RowSet, sortedById } from "../connection/page.js";
import { type LicenseRow, licensingOf } from "./licenses.js";
import { syncedBy } from "./synced.js";
import { Usage } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;

/** The rows of all connections of a workspace on one day. */
export type Views = ReturnType<typeof viewsBy>;

const latest = new WeakMap<Workspace, { readonly of: readonly unknown[]; readonly views: Views }>();

/** The current views of a workspace, rebuilt after each change. */
export function viewsOf(workspace: Workspace, now: number): Views {
  const today = startOfDay(now);
  const { installations, vendorStates } = workspace;
  const records = installations.flatMap((each) => Object.keys(SHOWN).map((name) => each.records(name)));
  const of = [today, vendorStates, ...installations, ...records];
  const known = latest.get(workspace);
  if (known !== undefined && areSame(known.of, of)) return known.views;
  // Free the outdated rows first, so that old and new rows aren't in memory together.
  latest.delete(workspace);
  const views = viewsBy(workspace, today);
  latest.set(workspace, { of, views });
  return views;
}

function viewsBy(workspace: Workspace, today: number) {
  const { installations, portfolio } = workspace;
  const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
  const recent = { since: today - days * DAY_MS, days };
  const usages = installations.map((installation) => new Usage(syncedBy(installation)));
  const licensed = lazy(() => usages.map((usage) => licensingOf(usage, portfolio, recent)));
  return {
    applications: lazy(() => new RowSet(sortedById(applicationsOf(workspace, usages, today - 30 * DAY_MS)))),
    licenses: lazy(() => new RowSet(sortedById<LicenseRow>(licensed().flatMap((each) => each.licenses)))),
    licensePlans: lazy(() => new RowSet(sortedById(licensed().flatMap(({ plans }) => plans)))),
  };
}

/**
 * The applications of the portfolio, plus those discovered through synced plans or usage.
 *
 * @param last30Days start of the last 30 days, in milliseconds since the epoch
 */
function applicationsOf(
  { portfolio, vendorStates }: Workspace,
  usages: readonly Usage[],
  last30Days: number,
) {
  const applications = new Map<string, PortfolioApplication>();
  for (const one of portfolio.applications ?? [])
    applications.set(fold(one.name), { id: fold(one.name), ...one });
  for (const { synced } of usages)
    for (const [key, name] of synced.products)
      getOrAdd(applications, key, () => ({ id: `${key}:product`, name }));
  return Array.from(applications, ([key, application]) => {
    const { id, name, vendorName = name, category, owner, state = "DISCOVERED", portfolioType } = application;
    const times = usages.flatMap((usage) => [...usage.usersOf(key).values()]);
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
  });
}
