/** Holds the pages of a vendor's listing against each other: what is not shown to be whole ends in an error. */
import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import type { CheckedPage } from "./page.js";
import { problemAt } from "./problem.js";

/** How far a listing is followed. */
export interface PageLimits {
  readonly expectedTotal: number | undefined;
  readonly maxPages: number;
  readonly maxEmptyPages: number;
  readonly allowRepeatedPages: boolean;
}

/** The pages of one listing so far. */
export class PageProof {
  readonly #limits: PageLimits;
  /** Digest of a token, which may be as long as the vendor likes -> number of the page that it was for. */
  readonly #tokens = new Map<string, number>();
  /** Digest of the items, or of their records -> number of the page that held them. */
  readonly #pages = new Map<string, number>();
  /** Whether the items of the latest page could be compared. */
  #comparable = true;
  #emptyInSuccession = 0;
  #items = 0;
  #total: number | undefined;

  constructor(limits: PageLimits) {
    this.#limits = limits;
  }

  /**
   * Takes in the next page.
   * @throws {InvalidInputError} it shows that the listing goes in circles, does not end, or lacks items
   */
  take({ items, next, total }: CheckedPage<unknown>, number: number): void {
    const location = `page ${number}`;
    const { maxPages, maxEmptyPages } = this.#limits;
    this.#items += items.length;
    this.#refuseShrunk(total, location);
    this.#total = total ?? this.#total;
    this.#comparable = this.#refuseRepeated(items, number, "items");
    this.#emptyInSuccession = items.length === 0 ? this.#emptyInSuccession + 1 : 0;
    if (next === undefined) {
      this.#checkTotal(location);
      return;
    }
    const token = digestOf(next);
    const before = this.#tokens.get(token);
    if (before !== undefined) {
      throw problemAt(location, `has the token that led to page ${before}`, "The listing goes in circles.");
    }
    this.#tokens.set(token, number + 1);
    if (this.#emptyInSuccession > maxEmptyPages) {
      const problem = `is empty, as are the ${maxEmptyPages} before it, but tells of a next one`;
      throw problemAt(location, problem, "Where the vendor does that, set maxEmptyPages.");
    }
    if (number >= maxPages) {
      throw problemAt(
        location,
        `is not the last one, but maxPages is ${maxPages}`,
        "Where there are so many, set maxPages.",
      );
    }
  }

  /**
   * Takes in what `map` made of the latest page: where its items hold functions, the records are compared instead.
   * @throws {InvalidInputError} an earlier page had the same records
   */
  takeRecords(records: readonly unknown[], number: number): void {
    if (!this.#comparable) this.#refuseRepeated(records, number, "records");
  }

  /**
   * Where something was deleted meanwhile, the items after it have moved up, and a page by numbers skips some of them.
   */
  #refuseShrunk(total: number | undefined, location: string): void {
    if (total === undefined || this.#total === undefined || total >= this.#total) return;
    throw problemAt(
      location,
      `has the total ${total}, and a page before it ${this.#total}`,
      "The data changed while it was read, and items may have been skipped: read it again. Leave total out where the vendor's number is not one of the whole listing.",
    );
  }

  #checkTotal(location: string): void {
    for (const total of [this.#total, this.#limits.expectedTotal]) {
      if (total === undefined || total === this.#items) continue;
      throw problemAt(
        location,
        `is the last one, with ${this.#items} items in all, but the total is ${total}`,
        "Pages may be missing, or the data changed while it was read: read it again.",
      );
    }
  }

  /** Whether they could be compared. */
  #refuseRepeated(content: readonly unknown[], number: number, what: "items" | "records"): boolean {
    if (this.#limits.allowRepeatedPages || content.length === 0) return true;
    const digest = digestOfContent(content);
    if (digest === undefined) return false;
    const before = this.#pages.get(`${what} ${digest}`);
    if (before !== undefined) {
      const advice = "The vendor may ignore the token; where equal pages are right, set allowRepeatedPages.";
      throw problemAt(`page ${number}`, `has the same ${what} as page ${before}`, advice);
    }
    this.#pages.set(`${what} ${digest}`, number);
    return true;
  }
}

/** Undefined for what cannot be compared, such as items that hold functions. */
function digestOfContent(content: readonly unknown[]): string | undefined {
  try {
    return digestOf(serialize(content));
  } catch {
    return undefined;
  }
}

function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64");
}
