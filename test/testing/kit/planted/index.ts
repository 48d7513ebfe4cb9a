import { OF_ANSWERS } from "./of-answers.js";
import { OF_ITEMS } from "./of-items.js";
import { OF_LISTINGS } from "./of-listings.js";
import type { Planted } from "./vendor.js";

/** Connectors, each with a mistake that only one row of the report finds; the keys name the row and the mistake. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  ...OF_ANSWERS,
  ...OF_LISTINGS,
  ...OF_ITEMS,
};
