import { createHash } from "node:crypto";
import { readStructure } from "../structure/read-structure.js";
import type { Listing, Recording, Structure } from "../structure/structure.js";

/** A recording as a fault sees it. */
export interface View {
  readonly recording: Recording;
  readonly structure: Structure;
  /** The listing with the most pages. */
  readonly main: Listing | undefined;
  /** Picks one of several places: always the same one for a seed and a fault. */
  pick<Place>(places: readonly Place[]): Place | undefined;
}

/** An exchange that a fault strikes. */
export interface Spot {
  readonly exchange: number;
  /** As in `page 2 of GET /users`. */
  readonly label: string;
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
  };
}

export type Position = "first" | "middle" | "last" | "any";

/** The answers with the data that the connector is about: pages, or else details, or else files. */
export function spotsOf({ recording, structure, main }: View): readonly Spot[] {
  if (main !== undefined)
    return main.pages.map(({ exchange }, index) => ({ exchange, label: pageLabel(main, index) }));
  const { details, texts } = structure;
  return (details.length > 0 ? details : texts).map((exchange) => spotOf(recording, exchange));
}

export function pageLabel(listing: Listing, index: number): string {
  return listing.pages.length === 1 ? listing.name : `page ${index + 1} of ${listing.name}`;
}

export function spotOf(recording: Recording, exchange: number): Spot {
  const request = recording[exchange]?.request;
  const label = request === undefined ? "" : `${request.method} ${new URL(request.url).pathname}`;
  return { exchange, label };
}

/** One answer has a first position only; two have no middle. */
export function spotAt(view: View, position: Position): Spot | undefined {
  const spots = spotsOf(view);
  if (position === "any") return view.pick(spots);
  if (position === "first") return spots[0];
  if (position === "middle") return view.pick(spots.slice(1, -1));
  return spots.length > 1 ? spots.at(-1) : undefined;
}
