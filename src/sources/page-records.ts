import { linkAbort, raceAbort } from "../core/abort.js";
import type { LocatedRecords } from "../core/record-location.js";
import type { MutableFigures, SourceFigures } from "./file-records.js";
import { GatheredRecords } from "./gathered-records.js";
import { type CheckedPage, checkPage, type FetchPage } from "./page.js";
import { type PageLimits, PageProof } from "./page-proof.js";

/** What `map` is told of where an item stands. */
export interface ItemPlace {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Number of the item within the page, from 1. */
  readonly item: number;
  /** The place as errors name it, such as `page 3, item 17`: for an error of your own. */
  readonly location: string;
}

/** What the latest reading of `fromPages` came across. */
export interface PagesFigures extends SourceFigures {
  /** Pages that were read. */
  readonly pages: number;
}

/**
 * The records of a vendor's paged listing, in one array a page. It can be iterated again, each time from the first
 * page: what a run's restart needs.
 */
export class PageRecords<Item, R> implements AsyncIterable<LocatedRecords<R>> {
  readonly #plan: PagePlan<Item, R>;
  #figures: PagesFigures = { pages: 0, read: 0, leftOut: 0 };

  /** @internal */
  constructor(plan: PagePlan<Item, R>) {
    this.#plan = plan;
  }

  /** What the latest iteration has read so far. */
  get figures(): PagesFigures {
    return { ...this.#figures };
  }

  /** Begins to read, from the first page. */
  [Symbol.asyncIterator](): AsyncIterator<LocatedRecords<R>, void, undefined> {
    const { controller, unlink } = linkAbort(this.#plan.signal);
    const figures = { pages: 0, read: 0, leftOut: 0 };
    this.#figures = figures;
    const records = walk(this.#plan, controller.signal, figures, () => {
      unlink();
      controller.abort();
    });
    return {
      next: () => records.next(),
      return: () => {
        // A generator returns only when the page that it waits for is there: the request for it ends now.
        controller.abort();
        return records.return();
      },
    };
  }
}

/** How a listing is read. */
export interface PagePlan<Item, R> extends PageLimits {
  readonly fetchPage: FetchPage<Item>;
  readonly map: (item: Item, place: ItemPlace) => R | undefined;
  readonly prefetch: boolean;
  readonly signal: AbortSignal | undefined;
}

async function* walk<Item, R>(
  plan: PagePlan<Item, R>,
  signal: AbortSignal,
  figures: MutableFigures & { pages: number },
  end: () => void,
): AsyncGenerator<LocatedRecords<R>, void, undefined> {
  const proof = new PageProof(plan);
  const fetch = async (cursor: string | undefined, number: number): Promise<CheckedPage<Item>> => {
    signal.throwIfAborted();
    return checkPage(await plan.fetchPage(cursor, { signal, page: number }), number);
  };
  try {
    let coming = fetch(undefined, 1);
    for (let number = 1; ; number += 1) {
      // Whoever fetches the page may never look at the signal.
      const page = await raceAbort(coming, signal);
      // A page that came although the signal fired may be what is left of one.
      signal.throwIfAborted();
      proof.take(page, number);
      figures.pages += 1;
      if (plan.prefetch && page.next !== undefined) {
        coming = fetch(page.next, number + 1);
        coming.catch(() => {});
      }
      const records = recordsOf(page.items, number, plan.map, figures);
      proof.takeRecords(records, number);
      if (records.length > 0) yield records;
      if (page.next === undefined) return;
      if (!plan.prefetch) coming = fetch(page.next, number + 1);
    }
  } finally {
    end();
  }
}

function recordsOf<Item, R>(
  items: readonly Item[],
  page: number,
  map: (item: Item, place: ItemPlace) => R | undefined,
  figures: MutableFigures,
): LocatedRecords<R> {
  const records = new GatheredRecords<R>(figures, (item) => new ItemOnPage(page, item).location);
  for (const [index, item] of items.entries()) {
    const place = new ItemOnPage(page, index + 1);
    records.add(map(item, place), place.item);
  }
  return records.located();
}

/** The place of an item; its location is put together only where it is asked for. */
class ItemOnPage implements ItemPlace {
  constructor(
    readonly page: number,
    readonly item: number,
  ) {}

  get location(): string {
    return `page ${this.page}, item ${this.item}`;
  }
}
