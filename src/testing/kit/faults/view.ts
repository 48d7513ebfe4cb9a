import { createHash } from "node:crypto";
import { readStructure } from "../structure/read-structure.js";
import type { Listing, Recording, Structure } from "../structure/structure.js";
import { recordedAnswer, type VendorAnswer } from "../vendor/answer.js";

/** A recording as a fault sees it. */
export interface View {
  readonly recording: Recording;
  readonly structure: Structure;
  /** The listing with the most pages. */
  readonly main: Listing | undefined;
  /** Picks one of several places: always the same one for a seed and a fault. */
  pick<Place>(places: readonly Place[]): Place | undefined;
  /** The recorded answer of an exchange. */
  recorded(exchange: number | undefined): VendorAnswer | undefined;
}

const structures = new WeakMap<Recording, Structure>();

export function viewOf(recording: Recording, seed: number, fault: string): View {
  const structure = structures.get(recording) ?? readStructure(recording);
  structures.set(recording, structure);
  let picks = 0;
  return {
    recording,
    structure,
    main: structure.listings[0],
    pick(places) {
      picks += 1;
      const digest = createHash("sha256").update(`${seed} ${fault} ${picks}`).digest();
      return places[digest.readUInt32BE(0) % places.length];
    },
    recorded(at) {
      const exchange = recording[at ?? -1];
      return exchange && recordedAnswer(exchange);
    },
  };
}

/** The answers with the data that the connector is about: pages, or else details, or else files. */
export function mainAnswers({ structure, main }: View): readonly number[] {
  if (main !== undefined) return main.pages.map(({ exchange }) => exchange);
  return structure.details.length > 0 ? structure.details : structure.texts;
}

/** As in `page 2 of GET /users`. */
export function pageLabel({ name, pages }: Listing, index: number): string {
  return pages.length === 1 ? name : `page ${index + 1} of ${name}`;
}

export function answerLabel({ recording, structure }: View, exchange: number): string {
  for (const listing of structure.listings) {
    const page = listing.pages.findIndex((one) => one.exchange === exchange);
    if (page >= 0) return pageLabel(listing, page);
  }
  const request = recording[exchange]?.request;
  return request === undefined ? "" : `${request.method} ${new URL(request.url).pathname}`;
}

export function itemsOf({ pages }: Listing): readonly unknown[] {
  return pages.flatMap(({ items }) => items);
}

/** Least number of items, and least share of a listing, that the default guard misses, with some to spare. */
export const NOTICED_ITEMS = 5;
export const NOTICED_SHARE = 0.3;

export function isNoticedByGuard(listing: Listing, lost: number): boolean {
  return lost >= NOTICED_ITEMS && lost >= NOTICED_SHARE * itemsOf(listing).length;
}
