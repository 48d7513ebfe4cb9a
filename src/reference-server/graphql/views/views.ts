import { DAY_MS, lazy, startOfDay } from "../../values.js";
import type { SyncedInstallation, Workspace } from "../../workspace.js";
import { areSame, keptOrder, RowSet } from "../connection/connection.js";
import { applicationsOf } from "./applications.js";
import { Directory } from "./directory.js";
import { licensingOf } from "./license-plans.js";
import type { Foundation, LicenseRow } from "./licenses.js";
import { type SyncedData, syncedBy } from "./synced.js";
import { UsageIndex } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;

interface Rows {
  readonly all: readonly SyncedData[];
  readonly licensing: readonly ReturnType<typeof licensingOf>[];
  readonly sortLicenses: ReturnType<typeof keptOrder<LicenseRow>>;
}

/** What stays as long as the installations do, whatever they sync. */
function rowsOf({ installations, portfolio }: Workspace): Rows {
  const all = installations.map(syncedBy);
  return {
    all,
    licensing: all.map((synced) => licensingOf(synced, portfolio)),
    sortLicenses: keptOrder<LicenseRow>(),
  };
}

/** What does not depend on licenses and on the states of vendors. */
function foundationOf(workspace: Workspace, { all }: Rows, today: number): Foundation {
  const employees = [...all, ...all.map(({ installation }) => installation.records("employees"))];
  const directory = cached(directories, workspace, employees, () => new Directory(all));
  const usage = lazy(() => new UsageIndex(directory, all));
  const days = workspace.portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
  return { directory, usage, recent: { since: today - days * DAY_MS, days } };
}

/** The rows of all connections of a workspace on one day. */
export type Views = ReturnType<typeof viewsOn>;

function viewsOn(
  { all, licensing, sortLicenses }: Rows,
  foundation: Foundation,
  { portfolio, vendorStates }: Workspace,
  today: number,
) {
  const licensed = lazy(() => licensing.map((rowsNow) => rowsNow(foundation)));
  return {
    applications: lazy(
      () => new RowSet(applicationsOf(portfolio, vendorStates, all, foundation.usage(), today - 30 * DAY_MS)),
    ),
    licenses: lazy(
      () =>
        new RowSet(
          licensed().flatMap(({ licenses }) => licenses),
          sortLicenses,
        ),
    ),
    licensePlans: lazy(() => new RowSet(licensed().flatMap(({ plans }) => plans))),
  };
}

const rows = new WeakMap<Workspace, Cached<Rows>>();
const directories = new WeakMap<Workspace, Cached<Directory>>();
const foundations = new WeakMap<Workspace, Cached<Foundation>>();
const views = new WeakMap<Workspace, Cached<Views>>();

/** The views of a workspace as it is now. What a change does not touch is not created again. */
export function viewsOf(workspace: Workspace, now: number): Views {
  const today = startOfDay(now);
  const { installations, vendorStates } = workspace;
  const below = [today, ...installations.flatMap(shown)];
  const inputs = [vendorStates, ...below, ...installations.map((each) => each.records("licenses"))];
  return cached(views, workspace, inputs, () => {
    const kept = cached(rows, workspace, [...installations], () => rowsOf(workspace));
    const foundation = cached(foundations, workspace, below, () => foundationOf(workspace, kept, today));
    return viewsOn(kept, foundation, workspace, today);
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
