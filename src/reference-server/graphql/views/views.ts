import { DAY_MS, lazy, startOfDay } from "../../values.js";
import type { SyncedInstallation, Workspace } from "../../workspace.js";
import { RowSet } from "../connection/connection.js";
import { applicationsOf } from "./applications.js";
import { Directory } from "./directory.js";
import { licensingOf } from "./license-plans.js";
import { syncedBy } from "./synced.js";
import { UsageIndex } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;

/** What does not depend on licenses and on the states of vendors. */
function foundationOf({ installations, portfolio }: Workspace, today: number) {
  const all = installations.map(syncedBy);
  const directory = new Directory(all);
  const usage = lazy(() => new UsageIndex(directory, all));
  const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
  const recent = { since: today - days * DAY_MS, days };
  const licensing = all.map((synced) =>
    licensingOf(synced, portfolio, (planId) => {
      return { synced, directory, recent, lastUse: usage().lastUseOf(synced, planId) };
    }),
  );
  return { all, usage, licensing };
}

/** The rows of all connections of a workspace on one day. */
export type Views = ReturnType<typeof viewsOn>;

function viewsOn(
  { all, usage, licensing }: ReturnType<typeof foundationOf>,
  { portfolio, vendorStates }: Workspace,
  today: number,
) {
  const licensed = lazy(() => licensing.map((rowsNow) => rowsNow()));
  return {
    applications: lazy(
      () => new RowSet(applicationsOf(portfolio, vendorStates, all, usage(), today - 30 * DAY_MS)),
    ),
    licenses: lazy(() => new RowSet(licensed().flatMap(({ licenses }) => licenses))),
    licensePlans: lazy(() => new RowSet(licensed().flatMap(({ plans }) => plans))),
  };
}

const foundations = new WeakMap<Workspace, Cached<ReturnType<typeof foundationOf>>>();
const views = new WeakMap<Workspace, Cached<Views>>();

/** The views of a workspace as it is now. What a change does not touch is not created again. */
export function viewsOf(workspace: Workspace, now: number): Views {
  const today = startOfDay(now);
  const { installations, vendorStates } = workspace;
  const below = [today, ...installations.flatMap(shown)];
  const inputs = [vendorStates, ...below, ...installations.map((each) => each.records("licenses"))];
  return cached(views, workspace, inputs, () => {
    const foundation = cached(foundations, workspace, below, () => foundationOf(workspace, today));
    return viewsOn(foundation, workspace, today);
  });
}

interface Cached<T> {
  readonly inputs: readonly unknown[];
  readonly value: T;
}

function cached<T>(
  cache: WeakMap<Workspace, Cached<T>>,
  workspace: Workspace,
  inputs: readonly unknown[],
  make: () => T,
): T {
  const known = cache.get(workspace);
  if (known !== undefined && areSame(known.inputs, inputs)) return known.value;
  // Frees the outdated value before the new one takes as much memory again.
  cache.delete(workspace);
  const value = make();
  cache.set(workspace, { inputs, value });
  return value;
}

function shown(installation: SyncedInstallation): readonly unknown[] {
  const names = ["accounts", "employees", "plans", "usage", "externallyDiscoveredUsage"] as const;
  return names.map((name) => installation.records(name));
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
