import { OF_ANSWERS } from "./of-answers.js";
import { OF_ITEMS } from "./of-items.js";
import { OF_LISTINGS } from "./of-listings.js";
import type { Planted } from "./vendor.js";

/** Connectors with one mistake each, by mistake: one for each row of the report, and only that row finds it. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  ...OF_ANSWERS,
  ...OF_LISTINGS,
  ...OF_ITEMS,
};
