import { fromPages, type Page, type PageRequest, type PagesOptions } from "@saas-management/sdk/sources";
import { type Attack, held, ownException, refused } from "./attack.js";
import { type Account, COUNT, people } from "./world.js";

/** Ways in which a paged listing ends too early, read by `fromPages`. */
export const pageAttacks: readonly Attack[] = [
  pageAttack({
    name: "a page without items: the vendor answers 200 with an error page",
    ending: refused("INVALID_INPUT", /page 3 has no array of items.*error page/),
    // What a vendor sends is not what its types say.
    pages: (page) => (page === 3 ? JSON.parse('{"error":"try again later"}') : listed(page)),
  }),
  pageAttack({
    name: "asking for a page fails",
    ending: ownException(/^503$/),
    pages: (page) => {
      if (page === 3) throw new Error("503");
      return listed(page);
    },
  }),
  pageAttack({
    name: "the total shrinks between two pages",
    ending: refused("INVALID_INPUT", /page 2 has the total 20, but an earlier page had 40/),
    pages: (page) => (page === 2 ? { items: people(10, 20), total: 20 } : { ...listed(page), total: COUNT }),
  }),
  pageAttack({
    name: "the next token is lost half-way, and the vendor tells a total",
    ending: refused("INVALID_INPUT", /page 3 is the last one, with 30 items in all, but the total is 40/),
    pages: (page) => ({ ...listed(page), ...(page === 3 ? { next: undefined } : {}), total: COUNT }),
  }),
  pageAttack({
    name: "the next token is lost half-way, and the caller knows the total",
    ending: refused("INVALID_INPUT", /20 items in all, but the total is 40/),
    pages: (page) => ({ ...listed(page), ...(page === 2 ? { next: undefined } : {}) }),
    options: { expectedTotal: COUNT },
  }),
  pageAttack({
    name: "the next token is lost half-way, and nobody knows the total",
    stop: "removal guard",
    ending: held(/20 of 40/),
    pages: (page) => ({ ...listed(page), ...(page === 2 ? { next: null } : {}) }),
  }),
  pageAttack({
    name: "an inner error becomes an empty page without a next token",
    stop: "removal guard",
    ending: held(/20 of 40/),
    pages: (page) => (page === 3 ? { items: [] } : listed(page)),
  }),
  pageAttack({
    name: "the tokens go in a circle",
    ending: refused("INVALID_INPUT", /page 3 has the token that led to page 2/),
    pages: (page) => ({ ...listed(page), ...(page === 3 ? { next: "2" } : {}) }),
  }),
  pageAttack({
    name: "the vendor ignores the token and sends the first page again",
    ending: refused("INVALID_INPUT", /page 2 has the same items as page 1/),
    pages: (page) => ({ ...listed(1), next: String(page + 1) }),
  }),
  {
    name: "the vendor ignores the token and sends the first page again, of items with methods",
    stop: "page checks",
    ending: refused("INVALID_INPUT", /page 2 has the same records as page 1/),
    attack: ({ send }) => {
      const items = people(0, 10).map(({ generic }) => ({ generic, refresh() {} }));
      const again = async (_: string | undefined, { page }: PageRequest) => ({
        items,
        next: String(page + 1),
      });
      return send(fromPages(again, { map: ({ generic }) => ({ generic }) }));
    },
  },
  pageAttack({
    name: "empty pages that tell of a next one do not end",
    ending: refused("INVALID_INPUT", /is empty, like the 5 before it, but has a next page/),
    pages: (page) => (page < 3 ? listed(page) : { items: [], next: String(page + 1) }),
    options: { maxEmptyPages: 5 },
  }),
  pageAttack({
    name: "the pages do not end",
    ending: refused("INVALID_INPUT", /page 8 is not the last one, but maxPages is 8/),
    pages: (page) => ({ items: people(10 * page, 10 * page + 10), next: String(page + 1) }),
    options: { maxPages: 8 },
  }),
];

interface PageAttack extends Pick<Attack, "name" | "ending"> {
  readonly stop?: Attack["stop"];
  readonly pages: (page: number) => Page<Account>;
  readonly options?: PagesOptions;
}

function pageAttack({ name, ending, stop = "poisoned batch", pages, options }: PageAttack): Attack {
  return {
    name,
    ending,
    stop:
      stop === "poisoned batch" && ending.kind === "refused" && ending.code !== undefined
        ? "page checks"
        : stop,
    attack: ({ send }) => send(() => fromPages(async (_, { page }) => pages(page), options)),
  };
}

/** What the vendor should have said. */
function listed(page: number): Page<Account> {
  return { items: people(10 * page - 10, 10 * page), next: page === 4 ? null : String(page + 1) };
}
