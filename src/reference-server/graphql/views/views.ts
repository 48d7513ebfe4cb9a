import { DAY_MS, startOfDay } from "../../values.js";
import type { SyncedInstallation, Workspace } from "../../workspace.js";
import { RowSet } from "../connection/connection.js";
import { type ApplicationRow, applicationsOf } from "./applications.js";
import { Directory } from "./directory.js";
import { type LicensePlanRow, licensingOf } from "./license-plans.js";
import { type LicenseRow, licenseAssessor } from "./licenses.js";
import { indexSynced, type SyncedData } from "./synced.js";
import { UsageIndex } from "./usage.js";

const DEFAULT_UNUSED_AFTER_DAYS = 30;

/** The rows of all connections of a workspace on one day. */
export class Views {
  readonly #workspace: Workspace;
  readonly #today: number;
  readonly #synced: readonly SyncedData[];
  readonly #directory: Directory;
  readonly #usage: UsageIndex;
  #applications: RowSet<ApplicationRow> | undefined;
  #licensing: { readonly licenses: RowSet<LicenseRow>; readonly plans: RowSet<LicensePlanRow> } | undefined;

  /** @param today start of the day, in milliseconds since the epoch */
  constructor(workspace: Workspace, today: number) {
    this.#workspace = workspace;
    this.#today = today;
    this.#synced = workspace.installations.map(indexSynced);
    this.#directory = new Directory(this.#synced);
    this.#usage = new UsageIndex(this.#directory, this.#synced);
  }

  get applications(): RowSet<ApplicationRow> {
    const { portfolio, vendorStates } = this.#workspace;
    this.#applications ??= new RowSet(
      applicationsOf(portfolio, vendorStates, this.#synced, this.#usage, this.#today - 30 * DAY_MS),
    );
    return this.#applications;
  }

  get licenses(): RowSet<LicenseRow> {
    return this.#licensed.licenses;
  }

  get licensePlans(): RowSet<LicensePlanRow> {
    return this.#licensed.plans;
  }

  get #licensed() {
    this.#licensing ??= this.#createLicensing();
    return this.#licensing;
  }

  #createLicensing() {
    const { portfolio } = this.#workspace;
    const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
    const recent = { since: this.#today - days * DAY_MS, days };
    const parts = this.#synced.map((synced) => {
      const assessor = licenseAssessor(synced, this.#directory, this.#usage, recent);
      return licensingOf(synced, portfolio, assessor);
    });
    return {
      licenses: new RowSet(parts.flatMap(({ licenses }) => licenses)),
      plans: new RowSet(parts.flatMap(({ plans }) => plans)),
    };
  }
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
  const views = new Views(workspace, today);
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
