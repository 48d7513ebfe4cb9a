import { GraphQLResponseError } from "../../core/errors/index.js";
import type { Logger } from "../../core/hooks.js";
import { tooLargePage } from "../request/error-entries.js";

const DEFAULT_PAGE_SIZE = 100;

/** How many times to retry with a smaller page if the service doesn't say how large a page may be. */
const MAX_HALVINGS = 2;

/** Maximum number of lists to remember: a program may create a new document for each list. */
const MAX_LISTS = 100;

/** Learns page sizes from refusals, because the service description doesn't give a maximum. */
export class PageSizes {
  readonly #default: number;
  readonly #logger: Logger;
  readonly #learned = new Map<object | string, number>();

  constructor(size: number | undefined, logger: Logger) {
    this.#default = size ?? DEFAULT_PAGE_SIZE;
    this.#logger = logger;
  }

  /** The page size for a list; it may have been learned from another list. */
  sizeFor(list: object | string): number {
    return this.#learned.get(list) ?? Math.min(this.#default, ...this.#learned.values());
  }

  /**
   * Requests a page, and a smaller page if the service says that the first is too large.
   * @param variable Name of the size variable, which the service's error may mention.
   * @throws any error of `send`
   */
  async fit<Page>(
    list: object | string,
    size: number,
    variable: string,
    send: (size: number) => Promise<Page>,
  ): Promise<Page> {
    for (let asked = Math.min(size, this.sizeFor(list)), tries = 0; ; tries++) {
      try {
        const page = await send(asked);
        if (tries > 0) this.#learn(list, asked);
        return page;
      } catch (error) {
        const refusal = error instanceof GraphQLResponseError && tooLargePage(error.errors, asked, variable);
        if (!refusal || tries === MAX_HALVINGS || asked === 1) throw error;
        asked = refusal.limit ?? Math.floor(asked / 2);
      }
    }
  }

  #learn(list: object | string, size: number): void {
    if (this.#learned.size >= MAX_LISTS) this.#learned.clear();
    this.#learned.set(list, size);
    this.#logger.info(
      "saas-management: the service refused a larger page, so lists are read in pages of this size",
      { pageSize: size },
    );
  }
}
