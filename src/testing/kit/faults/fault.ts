import { createHash } from "node:crypto";
import type { Collection } from "../../../sync/collections.js";
import { counted } from "../../../sync/report-text.js";
import type { Exchange } from "../cassette/cassette.js";
import { readStructure } from "../structure/read-structure.js";
import type { Listing, Recording, Structure } from "../structure/structure.js";
import { recordedAnswer, type VendorAnswer, type VendorRequest } from "../vendor/messages.js";
import type { Change } from "../verdict/compare.js";

/** A recording as a fault sees it. */
export interface View {
  readonly recording: Recording;
  readonly structure: Structure;
  /** The listing with the most pages. */
  readonly main: Listing | undefined;
  /** Picks one of several places, always the same for a seed and a fault. */
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

/** The answers with the connector's main data: its pages, or details if it has no pages, or else its files. */
export function mainAnswers({ structure, main }: View): readonly number[] {
  if (main !== undefined) return main.pages.map(({ exchange }) => exchange);
  return structure.details.length > 0 ? structure.details : structure.texts;
}

/** For example `page 2 of GET /users`. */
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

/** The default guard is sure to notice a loss of at least this many items and at least this share of a listing. */
export const NOTICED_ITEMS = 5;
const NOTICED_SHARE = 0.3;

export function isNoticedByGuard(count: number, all: number): boolean {
  return count >= NOTICED_ITEMS && count >= NOTICED_SHARE * all;
}

/** Why a loss isn't tested: neither a total nor the guard shows it, so the connector isn't to blame. */
export function unseenLoss(lost: number, all: number): string {
  const share = Math.round((lost / all) * 100);
  return `neither a total nor the guard shows that ${lost} of ${counted(all, "item")} are missing, ${share}%; the guard is sure to notice only a loss of at least ${NOTICED_ITEMS} items and ${NOTICED_SHARE * 100}%: if the vendor can send a total, pass it as total`;
}

/** The description of a fault in its row of the report. */
export interface NamedFault {
  /** Stable, in kebab case: `status-500-last`. */
  readonly name: string;
  /** What happens, in a line: "page 2 answers 500 once". */
  readonly summary: string;
}

/** A misbehaviour of the vendor, derived from a recording. */
export interface VendorFault extends NamedFault {
  /**
   * Applies the fault to a recording, for one run.
   * @returns undefined if the recording has no place for the fault; a string is another reason not to run it
   */
  inject(recording: readonly Exchange[]): Injected | string | undefined;
  /** Differences from the clean run that aren't WRONG, because the fault's data causes them, such as an extra item. */
  readonly excuses?: readonly Change["kind"][] | undefined;
}

/** A recording under a fault. */
export interface Injected {
  /** The exchanges to play: the recording itself, or a changed copy. */
  readonly exchanges: readonly Exchange[];
  /**
   * Whether only the guard can notice the fault, because each answer is as valid as the recorded one. Such a fault
   * isn't run without a guard.
   */
  readonly seenByGuardOnly?: boolean | undefined;
  /**
   * Changes one answer, or returns the same object to leave it alone. A different object counts as an injected fault.
   */
  answer?(answer: VendorAnswer, request: VendorRequest): VendorAnswer;
}

/** A fault of the catalogue, not yet matched to a recording. */
export interface FaultKind extends NamedFault, Pick<VendorFault, "excuses"> {
  plan(view: View): Plan | string | undefined;
}

export interface Plan extends Injected {
  /** Which answer the fault changes, for example `page 2 of GET /users`. */
  readonly at: string;
}

/** Kinds of faults as rows of a table. */
export function kindsOf<Row extends readonly [name: string, where: unknown, summary: string, ...unknown[]]>(
  rows: readonly Row[],
  planOf: (view: View, row: Row) => Plan | string | undefined,
  excuses?: FaultKind["excuses"],
): readonly FaultKind[] {
  return rows.map((row) => ({ name: row[0], summary: row[2], excuses, plan: (view) => planOf(view, row) }));
}

/** What the clean run wrote, as plain objects. */
export type PlainRecords = { readonly [C in Collection]?: readonly object[] };

/** A misbehaviour of a source of records, for connectors that don't use HTTP. */
export interface RecordFault extends NamedFault {
  /**
   * Applies the fault to what the clean run wrote.
   * @returns undefined if the fault doesn't apply
   */
  inject(clean: PlainRecords): InjectedRecords | undefined;
}

/** A block of records on its way to a write. */
export interface PassedBlock {
  readonly collection: Collection;
  readonly records: readonly object[];
  /** Index of the first record in its collection. */
  readonly index: number;
}

/** The records of one run under a fault. */
export interface InjectedRecords {
  /** Where the fault is injected: `accounts, from record 7`. */
  readonly cause: string;
  /** Returns the records to pass on, or the same array to leave the block alone. Throws if the source fails. */
  pass(block: PassedBlock): readonly object[];
  /** Records to add at the end of a collection. */
  end?(collection: Collection): readonly object[];
}
