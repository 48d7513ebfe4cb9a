import { DEFAULT_UNUSED_AFTER_DAYS } from "../../portfolio.js";
import type { Workspace } from "../../workspace.js";
import type { RowSet } from "../connection/row-set.js";
import { type ApplicationRow, applicationsOf } from "./applications.js";
import { type Digest, digestOf } from "./digest.js";
import { type Licensing, licensingOf } from "./licensing.js";
import { People } from "./people.js";
import { UsageIndex } from "./usage-index.js";

const DAY = 24 * 60 * 60 * 1000;

/** The applications of a workspace at a moment, in milliseconds since the epoch. */
export function applicationsView(workspace: Workspace, now: number): RowSet<ApplicationRow> {
  const today = startOfDay(now);
  return applications.get(workspace, `${workspace.revision} ${today}`, () => {
    const { digests, usage } = joinedOf(workspace);
    return applicationsOf(workspace, digests, usage, today - 30 * DAY);
  });
}

/** The licenses and license plans of a workspace at a moment, in milliseconds since the epoch. */
export function licensingView(workspace: Workspace, now: number): Licensing {
  const today = startOfDay(now);
  return licensing.get(workspace, `${workspace.syncedRevision} ${today}`, () => {
    const { digests, people, usage } = joinedOf(workspace);
    const days = workspace.portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;
    return licensingOf(workspace, digests, people, usage, { since: today - days * DAY, days });
  });
}

/** All installations of a workspace, put together. */
interface Joined {
  readonly digests: readonly Digest[];
  readonly people: People;
  readonly usage: UsageIndex;
}

function joinedOf(workspace: Workspace): Joined {
  return joined.get(workspace, `${workspace.syncedRevision}`, () => {
    const digests = workspace.installations.map(digestOf);
    const people = new People(digests);
    return { digests, people, usage: new UsageIndex(digests, people) };
  });
}

/** Days are those of UTC. */
function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/** Remembers one value a workspace, for as long as its version stays the same. */
class PerWorkspace<T> {
  readonly #values = new WeakMap<Workspace, { readonly version: string; readonly value: T }>();

  get(workspace: Workspace, version: string, make: () => T): T {
    const known = this.#values.get(workspace);
    if (known?.version === version) return known.value;
    const value = make();
    this.#values.set(workspace, { version, value });
    return value;
  }
}

const applications = new PerWorkspace<RowSet<ApplicationRow>>();
const licensing = new PerWorkspace<Licensing>();
const joined = new PerWorkspace<Joined>();
