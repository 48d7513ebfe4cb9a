/**
 * Streams records from CSV and JSON Lines files and from a vendor's pages. If a write rejects a record, the error names
 * its line or page.
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
