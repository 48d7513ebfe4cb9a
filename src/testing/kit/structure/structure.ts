/** The structure of a recording: listings in pages, single answers, and how one page leads to the next. */
import type { Exchange } from "../cassette/cassette.js";
import type { JsonPath } from "./json-path.js";
import type { RequestPart } from "./request-parts.js";

export interface Structure {
  /** Listings, the largest first. */
  readonly listings: readonly Listing[];
  /** Indexes of the exchanges that aren't pages: details of an item, text files and others. */
  readonly details: readonly number[];
  readonly texts: readonly number[];
  /** Index of the exchange that returns an access token. */
  readonly token: number | undefined;
}

/** The requests that walk through one list. */
export interface Listing {
  /** For example `GET /v1/users`. */
  readonly name: string;
  readonly pages: readonly Page[];
  /** Path to the items in the body of each page. */
  readonly list: JsonPath;
  /** Path to the id in an item. */
  readonly id: JsonPath | undefined;
  /** Where an answer names the next page; empty if the connector counts pages or items itself. */
  readonly next: readonly AnswerPlace[];
  /** Where an answer states the number of items in the list. */
  readonly totals: readonly AnswerPlace[];
  /** Where an answer states the number of pages. */
  readonly pageCounts: readonly AnswerPlace[];
  /** The part of a request that selects the page. */
  readonly asks: RequestPart | undefined;
  /** What `asks` counts, if its value is a number. */
  readonly counts: "pages" | "items" | undefined;
  readonly size: RequestPart | undefined;
}

export interface Page {
  /** Index of the exchange. */
  readonly exchange: number;
  readonly items: readonly unknown[];
}

export type AnswerPlace =
  | { readonly in: "body"; readonly path: JsonPath }
  | { readonly in: "header"; readonly name: string };

export type Recording = readonly Exchange[];
