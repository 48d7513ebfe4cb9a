import { DEFAULT_UNUSED_AFTER_DAYS } from "../../portfolio.js";
import type { MessageOf, Workspace } from "../../workspace.js";
import { RowSet } from "../connection/row-set.js";
import { type ApplicationRow, applicationsOf } from "./applications.js";
import { type Digest, digestOf } from "./digest.js";
import { LicenseAssessor } from "./license-assessor.js";
import type { LicensePlanRow } from "./license-plans.js";
import type { LicenseRow } from "./licenses.js";
import { type Licensing, licensingOf } from "./licensing.js";
import { People } from "./people.js";
import { rememberEach, rememberLast } from "./remember.js";
import { UsageIndex } from "./usage-index.js";

const DAY = 24 * 60 * 60 * 1000;

/** What the schema shows of a workspace as it is, at a moment in milliseconds since the epoch. */
export interface Views {
  applications(now: number): RowSet<ApplicationRow>;
  licenses(now: number): RowSet<LicenseRow>;
  licensePlans(now: number): RowSet<LicensePlanRow>;
}

/**
 * The views of a workspace. Every step towards them is remembered, and taken again only where what it starts from has
 * changed: records that did not change are the same list.
 */
export const viewsOf: (workspace: Workspace) => Views = rememberEach((workspace) => {
  const { portfolio } = workspace;
  const days = portfolio.unusedAfterDays ?? DEFAULT_UNUSED_AFTER_DAYS;

  const peopleOf = rememberLast((...directories: Digest["employees"][]) => new People(directories));
  const usageOf = rememberLast((people: People, ...digests: Digest[]) => new UsageIndex(people, digests));
  const applicationRows = rememberLast(applicationsOf);
  const licensingFor = rememberEach((digest: Digest) =>
    rememberLast(
      (licenses: readonly MessageOf<"licenses">[], people: People, usage: UsageIndex, today: number) => {
        const recent = { since: today - days * DAY, days };
        return licensingOf(digest, licenses, portfolio, new LicenseAssessor(digest, people, usage, recent));
      },
    ),
  );
  const licenseRows = rememberLast(
    (...parts: Licensing[]) => new RowSet(...parts.map(({ licenses }) => licenses)),
  );
  const licensePlanRows = rememberLast(
    (...parts: Licensing[]) => new RowSet(...parts.map(({ plans }) => plans)),
  );

  function join() {
    const digests = workspace.installations.map(digestOf);
    const people = peopleOf(...digests.map(({ employees }) => employees));
    return { digests, people, usage: usageOf(people, ...digests) };
  }

  function licensings(now: number): readonly Licensing[] {
    const { digests, people, usage } = join();
    return digests.map((digest) => {
      const licenses = digest.installation.records("licenses");
      return licensingFor(digest)(licenses, people, usage, startOfDay(now));
    });
  }

  return {
    applications: (now) => {
      const { digests, usage } = join();
      const last30Days = startOfDay(now) - 30 * DAY;
      return applicationRows(portfolio, workspace.vendorStates, usage, last30Days, ...digests);
    },
    licenses: (now) => licenseRows(...licensings(now)),
    licensePlans: (now) => licensePlanRows(...licensings(now)),
  };
});

/** Days are those of UTC. */
function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}
