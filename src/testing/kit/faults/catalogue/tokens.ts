/** The name of the next page is lost, wrong, or comes again. */
import type { Exchange } from "../../cassette/cassette.js";
import { continuedAs, pageAt, placeOf, withPlaces } from "../../structure/edit.js";
import type { AnswerPlace, Listing } from "../../structure/structure.js";
import { type FaultKind, jsonError } from "../kind.js";
import { isNoticed, listingWith, playingPage, seen } from "../pages.js";
import { pageLabel, type View } from "../view.js";

/** The places with a token or an address, without flags such as `hasNextPage`. */
function tokensOf({ next }: Listing, page: Exchange): readonly AnswerPlace[] {
  return next.filter((place) => typeof placeOf(page, place) !== "boolean");
}

/** Changes how a page goes on, if later pages would be lost and somebody could notice that. */
function token(
  name: string,
  summary: string,
  change: (page: Exchange, listing: Listing, view: View) => Exchange | undefined,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const listing = listingWith(view, 2);
      const position = view.pick((listing?.pages ?? []).map((_, index) => index).slice(0, -1));
      if (listing === undefined || position === undefined) return undefined;
      const lost = listing.pages.slice(position + 1).reduce((sum, { items }) => sum + items.length, 0);
      const page = pageAt(view.recording, listing, position);
      if (page === undefined || tokensOf(listing, page).length === 0 || !isNoticed(listing, lost))
        return undefined;
      const changed = change(page, listing, view);
      if (changed === undefined) return undefined;
      return seen(
        listing,
        playingPage(view, listing, position, () => changed),
      );
    },
  };
}

/** The last page leads to a page again, instead of being the last one. */
function leadsBack(name: string, summary: string, to: (listing: Listing) => number): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const listing = listingWith(view, 3);
      const other = listing === undefined ? undefined : pageAt(view.recording, listing, to(listing));
      if (listing === undefined || other === undefined || listing.next.length === 0) return undefined;
      return playingPage(view, listing, listing.pages.length - 1, (page) =>
        continuedAs(page, other, listing),
      );
    },
  };
}

export const TOKENS: readonly FaultKind[] = [
  token("next-missing", "a page does not name the next one any more", (page, listing) =>
    withPlaces(page, tokensOf(listing, page), undefined),
  ),
  token("next-empty", "a page names an empty token for the next one", (page, listing) => {
    const places = tokensOf(listing, page).filter((place) => typeof placeOf(page, place) === "string");
    return places.length === 0 ? undefined : withPlaces(page, places, "");
  }),
  token(
    "next-null",
    "a page has null for the next one, and says that there is more if it has a flag for that",
    (page, listing) => {
      const places = tokensOf(listing, page).filter((place) => place.in === "body");
      return places.length === 0 ? undefined : withPlaces(page, places, null);
    },
  ),
  token("more-flag-wrong", "a page says that there is no more, and names a next one", (page, { next }) => {
    const flags = next.filter((place) => typeof placeOf(page, place) === "boolean");
    const [flag] = flags;
    if (flag === undefined) return undefined;
    return withPlaces(page, flags, placeOf(page, flag) !== true);
  }),
  leadsBack("next-repeated", "the last page names itself as the next one", () => -2),
  leadsBack("next-cyclic", "the last page leads back to the second one", () => 0),
  {
    name: "next-expired",
    summary: "the token of the last page has expired: it answers 400, until the walk begins again",
    plan(view) {
      const listing = listingWith(view, 2);
      const first = listing?.pages[0]?.exchange;
      const last = listing?.pages.at(-1)?.exchange;
      if (listing === undefined || last === undefined || listing.next.length === 0) return undefined;
      const error = jsonError(400, "The page token has expired");
      let walks = 0;
      return {
        at: pageLabel(listing, listing.pages.length - 1),
        exchanges: view.recording,
        answer(answer, request) {
          if (request.exchange === first) walks += 1;
          return request.exchange === last && walks < 2 ? error : answer;
        },
      };
    },
  },
];
