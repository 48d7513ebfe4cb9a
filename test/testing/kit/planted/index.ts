import { OF_ANSWERS } from "./of-answers.js";
import { OF_ITEMS } from "./of-items.js";
import { OF_LISTINGS } from "./of-listings.js";
import type { Planted } from "./vendor.js";

/** A connector for each row of the report, by that row and its mistake. Only that row finds the mistake. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  ...OF_ANSWERS,
  ...OF_LISTINGS,
  ...OF_ITEMS,
};
