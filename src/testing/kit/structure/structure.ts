/** What a recording is made of: listings in pages, single answers, and how one page leads to the next. */
import type { Exchange } from "../cassette/cassette.js";
import type { JsonPath } from "./json-path.js";
import type { RequestPart } from "./request-parts.js";

export interface Structure {
  /** Listings, the largest first. */
  readonly listings: readonly Listing[];
  /** Indexes of the exchanges that are no page: details of an item, text files, and others. */
  readonly details: readonly number[];
  readonly texts: readonly number[];
  /** Index of the exchange that answers with an access token. */
  readonly token: number | undefined;
}

/** The requests that walk through one list. */
export interface Listing {
  /** As in `GET /v1/users`. */
  readonly name: string;
  readonly pages: readonly Page[];
  /** Where the items are in the body of each page. */
  readonly list: JsonPath;
  /** Where an item has its id. */
  readonly id: JsonPath | undefined;
  /** Where an answer names the next page; empty if the connector counts. */
  readonly next: readonly AnswerPlace[];
  /** Where an answer tells how many items the list has. */
  readonly totals: readonly AnswerPlace[];
  /** Where an answer tells how many pages the list has. */
  readonly pageCounts: readonly AnswerPlace[];
  /** Which part of a request says which page it asks for. */
  readonly asks: RequestPart | undefined;
  /** How that part counts, if it is a number. */
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
