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

const HELD = [
  "sort-unstable",
  "list-empty",
  "field-empty",
  "field-empty-in-some",
  "field-null",
  "ids-in-other-case",
  "ids-prefixed",
  "ids-prefixed-in-some",
  "ids-padded",
  "other-tenant",
  "other-tenant-in-some",
  "fields-of-neighbors",
];

/** For each fault a connector that it finds: one of the twelve broken ones, or a careless one. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  swallowsPageError: {
    connector: swallowsPageError,
    recording: "by token, 23 users",
    faults: [
      "status-500-first",
      "status-500-last",
      "status-500-once",
      "status-503-retry-after-once",
      "status-429-once",
      "status-429-retry-after-once",
      "status-401",
      "status-403",
      "status-429-retry-date-once",
      "reset-once",
      "reset-last",
      "cut-once",
      "stall-once",
      "html-200-first",
      "html-200-last",
      "empty-body-last",
      "no-content-last",
      "empty-object-last",
      "error-200-last",
      "truncated-body",
      "gzip-damaged",
      "redirect-to-login",
      "redirect-loop",
      "token-expired",
      "next-expired",
      "list-null",
      "list-missing",
      "list-renamed",
      "item-null",
      "ids-all-equal",
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
    faults: ["error-shows-key", "error-shows-request"],
  },
  stopsAtEmptyPage: {
    connector: stopsAtEmptyPage,
    recording: "by token, 23 users",
    faults: ["empty-page-between"],
  },
  trustsTotal: {
    connector: trustsTotal,
    recording: "by token, 23 users",
    faults: [
      "total-missing",
      "total-too-low",
      "items-repeated-on-next-page",
      "page-missing",
      "last-page-lost",
      "page-empty",
      "page-repeated",
      "paging-ignored",
      "next-missing",
      "next-null",
      "page-of-yesterday",
    ],
  },
  skipsWithoutId: {
    connector: token.skipsWithoutId,
    recording: "by token",
    faults: ["item-without-id"],
  },
  numbersUses: {
    connector: token.numbersUses,
    recording: "by token",
    faults: ["items-repeated-on-page", "items-repeated-on-next-page"],
  },
  foldsIds: {
    connector: foldsIds,
    recording: "by token, 23 users",
    faults: ["next-repeated", "next-cyclic"],
  },
  skipsWithoutTotal: {
    connector: token.skipsWithoutTotal,
    recording: "by token",
    faults: ["total-too-high", "total-changed", "total-as-string"],
  },
  trustsOrder: { connector: token.trustsOrder, recording: "by token", faults: ["pages-swapped"] },
  expectsOnlyJson: {
    connector: token.expectsOnlyJson,
    recording: "by token",
    faults: ["byte-order-mark", "content-type-wrong"],
  },
  trustsVendorClock: {
    connector: token.trustsVendorClock,
    recording: "by token",
    faults: ["clock-ahead", "clock-behind"],
  },
  repairsTexts: {
    connector: token.repairsTexts,
    recording: "by token",
    faults: [
      "twin-id-in-case",
      "twin-id-with-space",
      "unicode-cut",
      "field-renamed",
      "field-missing-in-some",
      "string-becomes-object",
    ],
  },
  coercesTypes: {
    connector: token.coercesTypes,
    recording: "by token",
    faults: ["number-becomes-string", "boolean-becomes-string"],
  },
  cutsPages: { connector: token.cutsPages, recording: "by token", faults: ["everything-on-one-page"] },
  swallowsSecondList: {
    connector: token.swallowsSecondList,
    recording: "by token",
    faults: ["other-list-500", "other-list-404", "other-list-null"],
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
    faults: ["text-header-only", "text-half-of-rows"],
  },
  countsByPageSize: {
    connector: other.countsByPageSize,
    recording: "by offset",
    faults: ["page-size-halved", "offset-shifted-by-deletions", "offset-shifted-by-insertions"],
  },
  writesIdsByType: {
    connector: other.writesIdsByType,
    recording: "by offset",
    faults: ["ids-of-other-type"],
  },
  ignoresGraphqlErrors: {
    connector: other.ignoresGraphqlErrors,
    recording: "by cursor",
    faults: ["graphql-throttled-once", "graphql-partial", "more-flag-wrong"],
  },
  skipsDetails: {
    connector: other.skipsDetails,
    recording: "with details",
    faults: [
      "token-refused",
      "token-missing",
      "detail-500",
      "detail-404",
      "detail-empty",
      "detail-of-another",
    ],
  },
  splitsCsv: {
    connector: other.splitsCsv,
    recording: "csv export",
    faults: ["text-column-renamed", "text-column-missing", "text-cut-in-row", "text-in-latin-1"],
  },
};
