/** Errors of GraphQL: status 200, and no data or a part of it. */
import { isPlainObject } from "../../../../core/validate.js";
import type { Exchange } from "../../cassette/cassette.js";
import { jsonOf, withBody } from "../../structure/body.js";
import { withValueAt } from "../../structure/json-path.js";
import type { Listing } from "../../structure/structure.js";
import { answering, type FaultKind, instead } from "../kind.js";
import { listingWith, playingPage } from "../pages.js";
import { pageLabel, type View } from "../view.js";

const JSON_TYPE = { "content-type": "application/json" };

function isGraphql({ request }: Exchange): boolean {
  const { body } = request;
  return body !== undefined && "json" in body && isPlainObject(body.json) && "query" in body.json;
}

function graphqlListing(view: View): Listing | undefined {
  const listing = listingWith(view, 2);
  const first = view.recording[listing?.pages[0]?.exchange ?? -1];
  return first !== undefined && isGraphql(first) && listing?.list[0] === "data" ? listing : undefined;
}

function errors(code: string, message: string) {
  return { errors: [{ message, extensions: { code } }] };
}

export const GRAPHQL: readonly FaultKind[] = [
  {
    name: "graphql-throttled-once",
    summary: "a page answers the error THROTTLED once",
    plan(view) {
      const listing = graphqlListing(view);
      const page = view.pick(listing?.pages ?? []);
      if (listing === undefined || page === undefined) return undefined;
      const spot = { exchange: page.exchange, label: pageLabel(listing, listing.pages.indexOf(page)) };
      const text = JSON.stringify({ data: null, ...errors("THROTTLED", "Throttled") });
      return answering(view, spot, "once", () => instead(200, text, JSON_TYPE));
    },
  },
  {
    name: "graphql-partial",
    summary: "the last page has null for its list, and an error beside the data",
    plan(view) {
      const listing = graphqlListing(view);
      if (listing === undefined) return undefined;
      const { list, pages } = listing;
      return playingPage(view, listing, pages.length - 1, (page) => {
        const json = withValueAt(jsonOf(page), list, null);
        return withBody(page, { json: { ...Object(json), ...errors("INTERNAL", "Could not load members") } });
      });
    },
  },
];
