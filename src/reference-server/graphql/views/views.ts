import { areSame, DAY_MS, lazy, startOfDay } from "../../values.js";
import type { Workspace } from "../../workspace.js";
import { RowSet, sortedById } from "../connection/page.js";
import { applicationsOf } from "./applications.js";
import { licensingOf } from "./license-plans.js";
import { recordsIn, syncedBy } from "./synced.js";
import { Usage } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;
const SHOWN = ["accounts", "employees", "externallyDiscoveredUsage", "licenses", "plans", "usage"];

/** The rows of all connections of a workspace on one day. */
export type Views = ReturnType<typeof viewsBy>;

const latest = new WeakMap<Workspace, { readonly of: readonly unknown[]; readonly views: Views }>();

/** The current views of a workspace, rebuilt after each change. */
export function viewsOf(workspace: Workspace, now: number): Views {
  const today = startOfDay(now);
  const { installations, vendorStates } = workspace;
  const records = installations.flatMap((each) => SHOWN.map((name) => recordsIn(each, name)));
  const of = [today, vendorStates, ...installations, ...records];
  const known = latest.get(workspace);
  if (known !== undefined && areSame(known.of, of)) return known.views;
  // Frees the outdated rows before the new ones take up as much memory.
  latest.delete(workspace);
  const views = viewsBy(workspace, today);
  latest.set(workspace, { of, views });
  return views;
}

function viewsBy({ installations, portfolio, vendorStates }: Workspace, today: number) {
  const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
  const recent = { since: today - days * DAY_MS, days };
  const usages = installations.map((installation) => new Usage(syncedBy(installation)));
  const licensed = lazy(() => usages.map((usage) => licensingOf(usage, portfolio, recent)));
  return {
    applications: lazy(() => {
      const rows = applicationsOf(portfolio, vendorStates, usages, today - 30 * DAY_MS);
      return new RowSet(sortedById(rows));
    }),
    licenses: lazy(() => new RowSet(sortedById(licensed().flatMap(({ licenses }) => licenses)))),
    licensePlans: lazy(() => new RowSet(sortedById(licensed().flatMap(({ plans }) => plans)))),
  };
}
