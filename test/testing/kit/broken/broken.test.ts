import type { Connector } from "@saas-management/sdk";
import { testConnector } from "@saas-management/sdk/testing";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { cassetteOf, users } from "../cassettes.js";
import { byPageNumber } from "../recordings/by-page-number.js";
import { foldsIds } from "./folds-ids.js";
import { forgetsAwait } from "./forgets-await.js";
import { inventsValues } from "./invents-values.js";
import { keepsAnswers } from "./keeps-answers.js";
import { logsKey } from "./logs-key.js";
import { notFoundIsEmpty } from "./not-found-is-empty.js";
import { readsAhead } from "./reads-ahead.js";
import { resumesFromCheckpoint } from "./resumes-from-checkpoint.js";
import { retriesFromStart } from "./retries-from-start.js";
import { stopsAtEmptyPage } from "./stops-at-empty-page.js";
import { swallowsPageError } from "./swallows-page-error.js";
import { trustsTotal } from "./trusts-total.js";

/**
 * Faults that a connector is caught by, and what its first verdict must say. Every fault is in the system test of
 * vendor faults, and the connectors that no fault leads astray.
 */
interface Planted {
  readonly connector: Connector<"accounts">;
  readonly cause: string;
  readonly faults: readonly string[];
  readonly vendor?: "by page number";
  readonly seed?: number;
}

const PLANTED: Readonly<Record<string, Planted>> = {
  swallowsPageError: {
    connector: swallowsPageError,
    cause: "usage",
    faults: ["status-500-last", "html-200-last"],
  },
  retriesFromStart: {
    connector: retriesFromStart,
    cause: "doubled",
    faults: ["cut-once", "items-repeated-on-page"],
  },
  stopsAtEmptyPage: { connector: stopsAtEmptyPage, cause: "lost", faults: ["empty-page-between"] },
  trustsTotal: {
    connector: trustsTotal,
    cause: "lost",
    faults: ["total-missing"],
  },
  notFoundIsEmpty: {
    connector: notFoundIsEmpty,
    cause: "answered 404",
    faults: ["status-404-last"],
  },
  inventsValues: { connector: inventsValues, cause: "emptied", faults: ["field-missing-in-some"], seed: 3 },
  logsKey: {
    connector: logsKey,
    cause: "a credential is in what the run printed or logged",
    faults: ["error-shows-key"],
  },
  resumesFromCheckpoint: {
    connector: resumesFromCheckpoint,
    cause: "the next run, without the fault,",
    faults: ["status-500-last", "next-expired"],
  },
  foldsIds: { connector: foldsIds, cause: "changed", faults: ["twin-id-in-case"] },
  readsAhead: {
    connector: readsAhead,
    cause: "lost",
    vendor: "by page number",
    faults: ["status-500-once", "offset-shifted-by-deletions"],
  },
  keepsAnswers: {
    connector: keepsAnswers,
    cause: "it may keep answers of earlier runs",
    faults: ["no-fault"],
  },
  forgetsAwait: { connector: forgetsAwait, cause: "lost", faults: ["slow-page"] },
};

const folder = temporaryFolder();
let byToken = "";
let byNumber = "";
beforeAll(async () => {
  byToken = await folder.write("token.json", cassetteOf(users()));
  byNumber = await folder.write("number.json", cassetteOf(byPageNumber(23)));
});

test.each(Object.entries(PLANTED))(
  "catches %s, and names the cause",
  async (_, planted) => {
    const { connector, faults: only, cause, vendor, seed = 1 } = planted;
    const cassette = vendor === undefined ? byToken : byNumber;
    const { faults, notRun } = await testConnector(connector, { cassette, only, seed });
    expect(faults.filter(({ verdict }) => verdict !== "WRONG").map(({ fault }) => fault)).toEqual([]);
    expect(faults.map(({ fault }) => fault).sort()).toEqual([...only].sort());
    expect(faults[0]?.cause).toContain(cause);
    expect(notRun).toEqual([]);
  },
  120_000,
);
