/**
 * Sources with places: records from CSV and JSON Lines files and from a vendor's pages, streamed. An error of a write
 * then names the line or the page that a record comes from.
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
export type { TextEncoding } from "./encoding.js";
export type { FileOptions, FileRecords, RecordPlace, SourceFigures } from "./file-records.js";
export type { FileInput } from "./input.js";
export { fromJsonl, type JsonlOptions } from "./jsonl.js";
export type { FetchPage, Page, PageRequest } from "./page.js";
export type { ItemPlace, PageRecords, PagesFigures } from "./page-records.js";
export { fromPages, type PagesOptions } from "./pages.js";
