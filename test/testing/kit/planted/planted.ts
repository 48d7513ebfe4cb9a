import type { Connector, GuardOptions } from "@saas-management/sdk";
import { foldsIds } from "../broken/folds-ids.js";
import { forgetsAwait } from "../broken/forgets-await.js";
import { logsKey } from "../broken/logs-key.js";
import { notFoundIsEmpty } from "../broken/not-found-is-empty.js";
import { stopsAtEmptyPage } from "../broken/stops-at-empty-page.js";
import { swallowsPageError } from "../broken/swallows-page-error.js";
import { trustsTotal } from "../broken/trusts-total.js";
import { NO_RULES } from "../no-rules.js";
import type { RECORDINGS } from "../recordings/index.js";
import * as token from "./by-token.js";
import * as other from "./other-recordings.js";

interface Planted {
  readonly connector: Connector<"accounts"> | Connector;
  readonly recording: keyof typeof RECORDINGS;
  readonly guard?: GuardOptions;
  /** Faults that find it. */
  readonly faults: readonly string[];
}

const HELD = ["list-empty", "field-null", "other-tenant-in-some"];

/** For each fault a connector that it finds: one of the twelve broken ones, or a careless one. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  swallowsPageError: {
    connector: swallowsPageError,
    recording: "by token, 23 users",
    faults: [
      "status-500-last",
      "status-500-once",
      "status-429-retry-after-once",
      "reset-once",
      "cut-once",
      "html-200-last",
      "no-content-last",
      "empty-object-last",
      "truncated-body",
      "token-expired",
      "next-expired",
      "list-null",
    ],
  },
  notFoundIsEmpty: {
    connector: notFoundIsEmpty,
    recording: "by token, 23 users",
    faults: ["status-404-last"],
  },
  forgetsAwait: {
    connector: forgetsAwait,
    recording: "by token, 23 users",
    faults: ["slow-page"],
  },
  logsKey: {
    connector: logsKey,
    recording: "by token, 23 users",
    faults: ["error-shows-key"],
  },
  stopsAtEmptyPage: {
    connector: stopsAtEmptyPage,
    recording: "by token, 23 users",
    faults: ["empty-page-between"],
  },
  trustsTotal: {
    connector: trustsTotal,
    recording: "by token, 23 users",
    faults: ["total-missing", "last-page-lost"],
  },
  skipsWithoutId: {
    connector: token.skipsWithoutId,
    recording: "by token",
    faults: ["item-without-id"],
  },
  numbersUses: {
    connector: token.numbersUses,
    recording: "by token",
    faults: ["items-repeated-on-page"],
  },
  foldsIds: {
    connector: foldsIds,
    recording: "by token, 23 users",
    faults: ["next-repeated"],
  },
  skipsWithoutTotal: {
    connector: token.skipsWithoutTotal,
    recording: "by token",
    faults: ["total-too-high"],
  },
  trustsOrder: { connector: token.trustsOrder, recording: "by token", faults: ["pages-swapped"] },
  expectsOnlyJson: {
    connector: token.expectsOnlyJson,
    recording: "by token",
    faults: ["byte-order-mark"],
  },
  trustsVendorClock: {
    connector: token.trustsVendorClock,
    recording: "by token",
    faults: ["clock-behind"],
  },
  repairsTexts: {
    connector: token.repairsTexts,
    recording: "by token",
    faults: ["twin-id-in-case", "unicode-cut", "field-missing-in-some"],
  },
  coercesTypes: {
    connector: token.coercesTypes,
    recording: "by token",
    // Otherwise the rule `changed` holds the run.
    guard: NO_RULES,
    faults: ["number-becomes-string"],
  },
  cutsPages: { connector: token.cutsPages, recording: "by token", faults: ["everything-on-one-page"] },
  swallowsSecondList: {
    connector: token.swallowsSecondList,
    recording: "by token",
    faults: ["other-list-500"],
  },
  swallowsOtherAnswers: {
    connector: token.swallowsOtherAnswers,
    recording: "by token",
    faults: ["answer-of-another-request"],
  },
  trustsUsers: {
    connector: token.trustsUsers,
    recording: "by token",
    guard: NO_RULES,
    faults: HELD,
  },
  trustsFile: {
    connector: other.trustsFile,
    recording: "csv export",
    guard: NO_RULES,
    faults: ["text-half-of-rows"],
  },
  countsByPageSize: {
    connector: other.countsByPageSize,
    recording: "by offset",
    faults: ["page-size-halved", "offset-shifted-by-deletions"],
  },
  writesIdsByType: {
    connector: other.writesIdsByType,
    recording: "by offset",
    faults: ["ids-of-other-type"],
  },
  ignoresGraphqlErrors: {
    connector: other.ignoresGraphqlErrors,
    recording: "by cursor",
    faults: ["graphql-partial"],
  },
  skipsDetails: {
    connector: other.skipsDetails,
    recording: "with details",
    faults: ["detail-404", "detail-of-another"],
  },
  splitsCsv: {
    connector: other.splitsCsv,
    recording: "csv export",
    faults: ["text-column-renamed", "text-cut-in-row"],
  },
};
