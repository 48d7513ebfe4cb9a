import { DAY_MS, lazy, startOfDay } from "../../values.js";
import type { SyncedInstallation, Workspace } from "../../workspace.js";
import { RowSet } from "../connection/connection.js";
import { applicationsOf } from "./applications.js";
import { Directory } from "./directory.js";
import { licensingOf } from "./license-plans.js";
import { syncedBy } from "./synced.js";
import { UsageIndex } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;

/** The rows of all connections of a workspace on one day. */
export type Views = ReturnType<typeof createViews>;

function createViews({ installations, portfolio, vendorStates }: Workspace, today: number) {
  const all = installations.map(syncedBy);
  const directory = new Directory(all);
  const usage = lazy(() => new UsageIndex(directory, all));
  const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
  const recent = { since: today - days * DAY_MS, days };
  const licensing = lazy(() =>
    all.map((synced) =>
      licensingOf(synced, portfolio, (planId) => {
        return { synced, directory, recent, lastUse: usage().lastUseOf(synced, planId) };
      }),
    ),
  );
  return {
    applications: lazy(
      () => new RowSet(applicationsOf(portfolio, vendorStates, all, usage(), today - 30 * DAY_MS)),
    ),
    licenses: lazy(() => new RowSet(licensing().flatMap(({ licenses }) => licenses))),
    licensePlans: lazy(() => new RowSet(licensing().flatMap(({ plans }) => plans))),
  };
}

interface CachedViews {
  readonly inputs: readonly unknown[];
  readonly views: Views;
}

const cache = new WeakMap<Workspace, CachedViews>();

/** The views of a workspace as it is now. They are created again only if a collection that they show has changed. */
export function viewsOf(workspace: Workspace, now: number): Views {
  const today = startOfDay(now);
  const inputs = [today, workspace.vendorStates, ...workspace.installations.flatMap(shown)];
  const cached = cache.get(workspace);
  if (cached !== undefined && areSame(cached.inputs, inputs)) return cached.views;
  // Frees the outdated views before the new ones take as much memory again.
  cache.delete(workspace);
  const views = createViews(workspace, today);
  cache.set(workspace, { inputs, views });
  return views;
}

function shown(installation: SyncedInstallation): readonly unknown[] {
  const names = ["accounts", "employees", "plans", "licenses", "usage", "externallyDiscoveredUsage"] as const;
  return names.map((name) => installation.records(name));
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
