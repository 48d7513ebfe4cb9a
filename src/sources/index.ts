/**
 * Sources with locations: records from CSV and JSON Lines files and from a vendor's pages, streamed. An error of a write
 * names the line or the page of the record.
 *
 * @packageDocumentation
 */

export { located } from "../core/record-location.js";
export { fromCsv } from "./csv.js";
export type { FileInput } from "./file-input.js";
export { fromJsonl } from "./jsonl.js";
export type { SourcePage } from "./page-proof.js";
export { fromPages, type PagesOptions } from "./pages.js";
export type { RecordLocation, Source } from "./source.js";
