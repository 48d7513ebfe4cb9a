/**
 * Sources with locations: records from CSV and JSON Lines files and from a vendor's pages, streamed. An error of a write
 * names the line or the page of the record.
 *
 * @packageDocumentation
 */

export {
  type ErrorCode,
  type ErrorDetails,
  type InputIssue,
  InvalidInputError,
  type RecordOutcome,
  SaasManagementError,
  type StopReason,
  type WalkPosition,
} from "../core/errors/index.js";
export { LOCATE, type LocatedRecords } from "../core/record-location.js";
export { type CsvOptions, type CsvRow, fromCsv } from "./csv.js";
export type { FileInput } from "./file-input.js";
export type { FileOptions, FileRecords, RecordLocation } from "./file-records.js";
export { fromJsonl, type JsonlOptions } from "./jsonl.js";
export type { TextEncoding } from "./lines.js";
export type { SourceFigures } from "./located-records.js";
export type { SourcePage } from "./page-proof.js";
export {
  type FetchPage,
  fromPages,
  type ItemPlace,
  type PageRecords,
  type PageRequest,
  type PagesFigures,
  type PagesOptions,
} from "./pages.js";
