import { DAY_MS, derived, getOrAdd, lazy, startOfDay } from "../../values.js";
import type { Workspace } from "../../workspace.js";
import { RowSet, sortedById } from "../connection/connection.js";
import { applicationsOf } from "./applications.js";
import { Directory } from "./directory.js";
import { licensingOf } from "./license-plans.js";
import type { Foundation } from "./licenses.js";
import { recordsIn, syncedBy } from "./synced.js";
import { UsageIndex } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;

/** The rows of all connections of a workspace on one day. */
export type Views = ReturnType<ReturnType<typeof viewsBy>>;

const viewsOfWorkspaces = new WeakMap<Workspace, ReturnType<typeof viewsBy>>();

/** The views of a workspace as it is now. What a change does not touch is not created again. */
export function viewsOf(workspace: Workspace, now: number): Views {
  return getOrAdd(viewsOfWorkspaces, workspace, () => viewsBy(workspace))(startOfDay(now));
}

function viewsBy(workspace: Workspace) {
  const { installations, portfolio } = workspace;
  const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
  let today = 0;
  const recordsOf = (...names: readonly string[]) =>
    installations.flatMap((each) => names.map((name) => recordsIn(each, name)));
  /** What stays as long as the installations do, whatever they sync. */
  const all = derived(
    () => installations.slice(),
    () => installations.map(syncedBy),
  );
  const licensing = derived(
    () => [all()],
    () => all().map((synced) => licensingOf(synced, portfolio)),
  );
  const directory = derived(
    () => [all(), ...recordsOf("employees")],
    () => new Directory(all()),
  );
  /** What does not depend on licenses and on the states of vendors. */
  const foundation = derived(
    () => [today, directory(), ...recordsOf("accounts", "plans", "usage", "externallyDiscoveredUsage")],
    (): Foundation => ({
      directory: directory(),
      usage: lazy(() => new UsageIndex(directory(), all())),
      recent: { since: today - days * DAY_MS, days },
    }),
  );
  const licensed = derived(
    () => [foundation(), ...recordsOf("licenses")],
    () => licensing().map((rowsNow) => rowsNow(foundation())),
  );
  const licenses = () => licensed().flatMap((each) => each.licenses);
  /** Sorted again only if there are other rows: most changes outdate no row. */
  const sortedLicenses = derived(licenses, () => sortedById(licenses()));
  const views = {
    applications: derived(
      () => [foundation(), workspace.vendorStates],
      () => {
        const { usage } = foundation();
        const last30Days = today - 30 * DAY_MS;
        const rows = applicationsOf(portfolio, workspace.vendorStates, all(), usage(), last30Days);
        return new RowSet(sortedById(rows));
      },
    ),
    licenses: derived(
      () => [licensed()],
      () => new RowSet(sortedLicenses()),
    ),
    licensePlans: derived(
      () => [licensed()],
      () => new RowSet(sortedById(licensed().flatMap(({ plans }) => plans))),
    ),
  };
  return (day: number) => {
    today = day;
    return views;
  };
}
